/*
 * pprof.hpp - <cpa/pprof.h> for C++: what was begun ends where its scope does
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * C++11 or later, with or without exceptions. Nothing here throws by itself: failures are -errno, as in C.
 * What a function that you pass throws goes to whoever called, never through C. See cpa-profiler(3).
 *
 *	cpa::cpu_profile profile{"cpu.pb.gz"};              until the end of the scope
 *	cpa::labels mine{{"tenant", name}, {"op", "read"}};
 *	auto scope = mine.scope();                          of this thread, until the end of the scope
 *	cpa::do_(mine, [&] { return serve(request); });
 *	pool.submit(cpa::wrap(task));                       runs with the labels of here
 *	cpa::profile::make("db.conns").add(connection);
 */
#ifndef CPA_PPROF_HPP
#define CPA_PPROF_HPP

#include <cpa/pprof.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#if __cplusplus >= 201703L
#define CPA_NODISCARD [[nodiscard]]
#else
#define CPA_NODISCARD
#endif

namespace cpa
{
namespace detail
{
/* Call f for C. What it throws waits in thrown until C is left. */
template <class F> struct call {
	F f;
	std::exception_ptr thrown;

	explicit call(F fn) : f(std::forward<F>(fn)), thrown()
	{
	}
	void rethrow()
	{
		std::exception_ptr e;

		std::swap(e, thrown);
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
		if (e)
			std::rethrow_exception(e);
#endif
	}
	template <class... A> int run(std::true_type /* gives nothing */, A... a)
	{
		f(a...);
		return 0;
	}
	template <class... A> int run(std::false_type, A... a)
	{
		return static_cast<int>(f(a...));
	}
	template <class... A> static int go(void *self, A... a) noexcept
	{
		call *c = static_cast<call *>(self);

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
		try {
			return c->run(std::is_void<decltype(c->f(a...))>(), a...);
		} catch (...) {
			c->thrown = std::current_exception();
		}
		return -ECANCELED;
#else
		return c->run(std::is_void<decltype(c->f(a...))>(), a...);
#endif
	}
	static int write(void *self, const void *data, std::size_t n) noexcept
	{
		return go(self, data, n);
	}
	static int label(void *self, const char *key, const char *value) noexcept
	{
		return go(self, key, value);
	}
};

template <class F>
F &&callable(F &&f,
	     typename std::enable_if<!std::is_member_pointer<typename std::decay<F>::type>::value>::type * = nullptr)
{
	return std::forward<F>(f);
}
template <class R, class C> auto callable(R C::*member) -> decltype(std::mem_fn(member))
{
	return std::mem_fn(member);
}
} // namespace detail

/* A key and its value. Of a string, what is up to the first 0. */
struct label {
	const char *key, *value;

	label(const char *k, const char *v) noexcept : key(k), value(v)
	{
	}
	label(const char *k, const std::string &v) noexcept : key(k), value(v.c_str())
	{
	}
	label(const std::string &k, const char *v) noexcept : key(k.c_str()), value(v)
	{
	}
	label(const std::string &k, const std::string &v) noexcept : key(k.c_str()), value(v.c_str())
	{
	}
};

/* While it lives, its thread has other labels; then those from before. Scopes of a thread end in order. */
class CPA_NODISCARD label_scope
{
      public:
	explicit label_scope(cpa_labels l) noexcept : before_(cpa_labels_set(l)), on_(true)
	{
	}
	label_scope(label_scope &&other) noexcept : before_(other.before_), on_(other.on_)
	{
		other.on_ = false;
	}
	label_scope(const label_scope &) = delete;
	label_scope &operator=(const label_scope &) = delete;
	label_scope &operator=(label_scope &&) = delete;
	~label_scope()
	{
		if (on_)
			cpa_labels_set(before_);
	}

      private:
	cpa_labels before_;
	bool on_;
};

/* A set of labels: a number, to be copied at will. Made once, used often: making one looks it up. */
class labels
{
      public:
	labels() noexcept = default;
	labels(std::initializer_list<label> pairs) : id_(make(0, pairs))
	{
	}
	/* Those of another set too; a key that is in both has the new value. */
	labels(const labels &more, std::initializer_list<label> pairs) : id_(make(more.id_, pairs))
	{
	}

	static labels of(cpa_labels id) noexcept
	{
		labels l;

		l.id_ = id;
		return l;
	}
	/* Those of this thread. */
	static labels current() noexcept
	{
		return of(cpa_labels_get());
	}
	/* Those of this thread, and these. */
	static labels with(std::initializer_list<label> pairs)
	{
		return labels(current(), pairs);
	}

	cpa_labels id() const noexcept
	{
		return id_;
	}
	explicit operator bool() const noexcept
	{
		return id_ != 0;
	}
	/* NULL: not in it. */
	const char *value(const char *key) const noexcept
	{
		return cpa_labels_value(id_, key);
	}
	/* Call f(key, value) with each, sorted by key, until it gives other than 0, which is given. It may give void. */
	template <class F> int each(F &&f) const
	{
		detail::call<F &> c(f);
		int rc = cpa_labels_each(id_, &detail::call<F &>::label, &c);

		c.rethrow();
		return rc;
	}
	/* Give them to this thread. */
	void set() const noexcept
	{
		cpa_labels_set(id_);
	}
	label_scope scope() const noexcept
	{
		return label_scope(id_);
	}

	friend bool operator==(const labels &a, const labels &b) noexcept
	{
		return a.id_ == b.id_;
	}
	friend bool operator!=(const labels &a, const labels &b) noexcept
	{
		return a.id_ != b.id_;
	}

      private:
	cpa_labels id_ = 0;

	/* As many at once as any set has room for. */
	static cpa_labels make(cpa_labels parent, std::initializer_list<label> pairs)
	{
		const char *kv[2 * 64];
		std::size_t n = 0;

		for (const label &l : pairs) {
			if (n == 64) {
				parent = cpa_labels_make(parent, kv, n);
				n = 0;
			}
			kv[2 * n] = l.key;
			kv[2 * n + 1] = l.value;
			n++;
		}
		return cpa_labels_make(parent, kv, n);
	}
};

/* Give what f gives, called with these labels. They end with it, also when it throws. */
template <class F> auto do_(const labels &l, F &&f) -> decltype(std::forward<F>(f)())
{
	label_scope scope(l.id());

	return std::forward<F>(f)();
}

/* A function with labels that it runs with, wherever it is called. */
template <class F> class wrapped
{
      public:
	wrapped(labels l, F f) : labels_(l), f_(std::move(f))
	{
	}

	template <class... A> auto operator()(A &&...a) -> decltype(std::declval<F &>()(std::forward<A>(a)...))
	{
		label_scope scope(labels_.id());

		return f_(std::forward<A>(a)...);
	}
	template <class... A>
	auto operator()(A &&...a) const -> decltype(std::declval<const F &>()(std::forward<A>(a)...))
	{
		label_scope scope(labels_.id());

		return f_(std::forward<A>(a)...);
	}

      private:
	labels labels_;
	F f_;
};

/* The function, with the labels of this thread, or with others. For pools: wrap where a task is made. */
template <class F>
auto wrap(const labels &l, F &&f) -> wrapped<typename std::decay<decltype(detail::callable(std::forward<F>(f)))>::type>
{
	return { l, detail::callable(std::forward<F>(f)) };
}
template <class F>
auto wrap(F &&f) -> wrapped<typename std::decay<decltype(detail::callable(std::forward<F>(f)))>::type>
{
	return { labels::current(), detail::callable(std::forward<F>(f)) };
}

/* A std::thread that has the labels of its creator, whatever cpa_labels_inherit says. */
class thread : public std::thread
{
      public:
	thread() noexcept = default;
	thread(std::thread &&other) noexcept : std::thread(std::move(other))
	{
	}
	template <class F, class... A,
		  class = typename std::enable_if<
			  !std::is_base_of<std::thread, typename std::decay<F>::type>::value>::type>
	explicit thread(F &&f, A &&...a) : std::thread(wrap(std::forward<F>(f)), std::forward<A>(a)...)
	{
	}
};

/*
 * CPU time is profiled while it lives. Nothing throws: one that could not be started says why, and the program
 * goes on without.
 */
class CPA_NODISCARD cpu_profile
{
      public:
	/* o as in C, may be left out. */
	explicit cpu_profile(const char *path, const cpa_cpu_opts *o = nullptr) noexcept
	    : error_(cpa_cpu_start_path(path, o)), on_(error_ == 0), sink_()
	{
	}
	explicit cpu_profile(const std::string &path, const cpa_cpu_opts *o = nullptr) noexcept
	    : cpu_profile(path.c_str(), o)
	{
	}
	explicit cpu_profile(int fd, const cpa_cpu_opts *o = nullptr) noexcept
	    : error_(cpa_cpu_start_fd(fd, o)), on_(error_ == 0), sink_()
	{
	}
	/* write(data, n) gives 0 to go on. What it throws comes out of stop. */
	using write_fn = std::function<int(const void *data, std::size_t n)>;
	explicit cpu_profile(write_fn write, const cpa_cpu_opts *o = nullptr)
	    : error_(0), on_(false), sink_(new detail::call<write_fn>(std::move(write)))
	{
		error_ = cpa_cpu_start_fn(&detail::call<write_fn>::write, sink_.get(), o);
		on_ = error_ == 0;
	}
	cpu_profile(cpu_profile &&other) noexcept : error_(other.error_), on_(other.on_), sink_(std::move(other.sink_))
	{
		other.on_ = false;
	}
	cpu_profile(const cpu_profile &) = delete;
	cpu_profile &operator=(const cpu_profile &) = delete;
	cpu_profile &operator=(cpu_profile &&) = delete;
	~cpu_profile()
	{
		if (on_)
			cpa_cpu_stop();
	}

	explicit operator bool() const noexcept
	{
		return on_;
	}
	/* Why it is not on, or how writing ended: 0 or -errno. */
	int error() const noexcept
	{
		return error_;
	}
	/* Stop, and write. Gives 0 or -errno: of starting when that had failed. */
	int stop()
	{
		if (on_) {
			on_ = false;
			error_ = cpa_cpu_stop();
			if (sink_)
				sink_->rethrow();
		}
		return error_;
	}

      private:
	int error_;
	bool on_;
	std::unique_ptr<detail::call<write_fn>> sink_;
};

/* A profile by name: a pointer, to be copied at will. */
class profile
{
      public:
	/* A value that is in a profile while this lives. */
	class CPA_NODISCARD held
	{
	      public:
		held(profile p, const void *value, int error) noexcept : p_(p.p_), value_(value), error_(error)
		{
		}
		held(held &&other) noexcept : p_(other.p_), value_(other.value_), error_(other.error_)
		{
			other.error_ = -ENOENT;
		}
		held(const held &) = delete;
		held &operator=(const held &) = delete;
		held &operator=(held &&) = delete;
		~held()
		{
			if (error_ == 0)
				cpa_profile_remove(p_, value_);
		}
		/* Why it is not in it: 0 or -errno. */
		int error() const noexcept
		{
			return error_;
		}

	      private:
		cpa_profile *p_;
		const void *value_;
		int error_;
	};

	profile() noexcept : p_(nullptr)
	{
	}
	explicit profile(cpa_profile *p) noexcept : p_(p)
	{
	}
	/* The one of this name, made if there is none. Not true, with errno set, when that fails. */
	static profile make(const char *name) noexcept
	{
		cpa_profile *p = cpa_profile_new(name);

		return profile(p || errno != EEXIST ? p : cpa_profile_lookup(name));
	}
	static profile make(const std::string &name) noexcept
	{
		return make(name.c_str());
	}
	static profile lookup(const char *name) noexcept
	{
		return profile(cpa_profile_lookup(name));
	}
	static profile lookup(const std::string &name) noexcept
	{
		return lookup(name.c_str());
	}

	explicit operator bool() const noexcept
	{
		return p_ != nullptr;
	}
	cpa_profile *get() const noexcept
	{
		return p_;
	}
	const char *name() const noexcept
	{
		return cpa_profile_name(p_);
	}
	std::int64_t count() const noexcept
	{
		return cpa_profile_count(p_);
	}

	/* As in C. Always inline: the stack begins with who calls. */
	__attribute__((always_inline)) int add(const void *value, int skip = 0) const noexcept
	{
		return cpa_profile_add(p_, value, skip);
	}
	int remove(const void *value) const noexcept
	{
		return cpa_profile_remove(p_, value);
	}
	__attribute__((always_inline)) held hold(const void *value, int skip = 0) const noexcept
	{
		return held(*this, value, cpa_profile_add(p_, value, skip));
	}
	/* f(data, n) takes what is written; it gives 0 to go on, or void. */
	template <class F> int write(int debug, F &&f) const
	{
		detail::call<F &> c(f);
		int rc = cpa_profile_write(p_, debug, &detail::call<F &>::write, &c);

		c.rethrow();
		return rc;
	}
	/* Into a file, as cpa_profile_write_path. */
	int write_path(const char *path, unsigned flags = 0, int debug = 0) const noexcept
	{
		return cpa_profile_write_path(p_, debug, path, flags);
	}
	int write_path(const std::string &path, unsigned flags = 0, int debug = 0) const noexcept
	{
		return write_path(path.c_str(), flags, debug);
	}
	template <class F> int delta(int seconds, unsigned flags, F &&f) const
	{
		detail::call<F &> c(f);
		int rc = cpa_profile_delta(p_, seconds, flags, &detail::call<F &>::write, &c);

		c.rethrow();
		return rc;
	}

      private:
	cpa_profile *p_;
};
} // namespace cpa

#include <cpa/pprof_http.hpp>
#undef CPA_NODISCARD
#endif
