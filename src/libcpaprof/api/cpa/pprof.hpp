/*
 * pprof.hpp - <cpa/pprof.h> for C++, with objects that end with their scope
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * C++11 or later, with or without exceptions. Nothing here throws by itself: errors are -errno, as in C. An exception
 * from a function that you pass is rethrown to the caller and never crosses C code. See cpa-profiler(3).
 *
 *	cpa::cpu_profile profile{"cpu.pb.gz"};              until the end of the scope
 *	cpa::labels mine{{"tenant", name}, {"op", "read"}};
 *	auto scope = mine.scope();                          for this thread, until the end of the scope
 *	cpa::do_(mine, [&] { return serve(request); });
 *	pool.submit(cpa::wrap(task));                       runs with the labels of this thread
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
/*
 * Callback for C functions that calls f. An exception is stored in thrown and rethrown after the C function has
 * returned.
 */
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
	template <class... A> int run(std::true_type /* f returns void */, A... a)
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

/* A key and its value. Strings are used up to their first NUL. */
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

/*
 * Sets other labels for this thread during its lifetime, then restores the previous ones. Scopes of one thread must
 * be nested.
 */
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

/* A set of labels: an id, cheap to copy. Create it once and use it often; creating it is a table lookup. */
class labels
{
      public:
	labels() noexcept = default;
	labels(std::initializer_list<label> pairs) : id_(make(0, pairs))
	{
	}
	/* The labels of more plus pairs; if both have a key, the value in pairs is used. */
	labels(const labels &more, std::initializer_list<label> pairs) : id_(make(more.id_, pairs))
	{
	}

	static labels of(cpa_labels id) noexcept
	{
		labels l;

		l.id_ = id;
		return l;
	}
	/* The labels of this thread. */
	static labels current() noexcept
	{
		return of(cpa_labels_get());
	}
	/* The labels of this thread plus pairs. */
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
	/* NULL: the set does not have this key */
	const char *value(const char *key) const noexcept
	{
		return cpa_labels_value(id_, key);
	}
	/*
	 * Call f(key, value) for each label, sorted by key, until it returns a value other than 0. Returns that
	 * value, or 0. f may return void.
	 */
	template <class F> int each(F &&f) const
	{
		detail::call<F &> c(f);
		int rc = cpa_labels_each(id_, &detail::call<F &>::label, &c);

		c.rethrow();
		return rc;
	}
	/* Set these labels for this thread. */
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

	/* Adds 64 pairs at a time, the maximum of a set. */
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

/*
 * Call f with these labels and return its result. The previous labels are restored afterwards, also after an
 * exception.
 */
template <class F> auto do_(const labels &l, F &&f) -> decltype(std::forward<F>(f)())
{
	label_scope scope(l.id());

	return std::forward<F>(f)();
}

/* A function and the labels that are set while it runs, wherever it is called. */
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

/* Bind a function to the labels of this thread, or to others. For thread pools: call wrap where the task is created. */
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

/* A std::thread that starts with the labels of its creator, regardless of cpa_labels_inherit. */
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
 * Profiles CPU time during its lifetime. It does not throw: if it could not start, it is false, error() returns the
 * reason, and the program continues.
 */
class CPA_NODISCARD cpu_profile
{
      public:
	/* o: as in C, optional. */
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
	/* write(data, n) returns 0 to continue. stop rethrows its exceptions. */
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
	/* The error of starting or writing: 0 or -errno. */
	int error() const noexcept
	{
		return error_;
	}
	/* Stop, and write the profile. Returns 0 or -errno; if it was not started, the error of starting. */
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

/* A profile: a pointer, cheap to copy. */
class profile
{
      public:
	/* Keeps a value in a profile during its lifetime. */
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
		/* The error of adding it: 0 or -errno. */
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
	/* The profile with this name, created if it does not exist. False, with errno set, if that fails. */
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

	/* As in C. Always inlined, so that the stack starts with the caller. */
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
	/* f(data, n) receives the bytes; it returns 0 to continue, or void. */
	template <class F> int write(int debug, F &&f) const
	{
		detail::call<F &> c(f);
		int rc = cpa_profile_write(p_, debug, &detail::call<F &>::write, &c);

		c.rethrow();
		return rc;
	}
	/* Write it to a file, like cpa_profile_write_path. */
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
