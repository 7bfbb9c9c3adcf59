/*
 * pprof_http.hpp - /debug/pprof for C++: a server in the program, or answers for the program's own server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Included by <cpa/pprof.hpp>.
 *
 *	cpa::http_server pprof{"127.0.0.1:6060"};           serves until the end of the scope
 *	auto answer = cpa::http_handle("GET", target);      in the program's own server
 */
#ifndef CPA_PPROF_HTTP_HPP
#define CPA_PPROF_HTTP_HPP

#include <cpa/pprof.hpp>

#ifndef CPA_NODISCARD
#define CPA_NODISCARD
#endif

namespace cpa
{
/* A server that runs during its lifetime. False if it could not start; the program continues. */
class CPA_NODISCARD http_server
{
      public:
	http_server() noexcept : error_(cpa_http_start(nullptr)), on_(error_ == 0)
	{
	}
	explicit http_server(const cpa_http_opts &o) noexcept : error_(cpa_http_start(&o)), on_(error_ == 0)
	{
	}
	/* Arguments as in cpa_http_opts. */
	explicit http_server(const char *listen, const char *secret_file = nullptr, unsigned flags = 0) noexcept
	    : error_(start(listen, secret_file, flags)), on_(error_ == 0)
	{
	}
	explicit http_server(const std::string &listen, const char *secret_file = nullptr, unsigned flags = 0) noexcept
	    : http_server(listen.c_str(), secret_file, flags)
	{
	}
	http_server(http_server &&other) noexcept : error_(other.error_), on_(other.on_)
	{
		other.on_ = false;
	}
	http_server(const http_server &) = delete;
	http_server &operator=(const http_server &) = delete;
	http_server &operator=(http_server &&) = delete;
	~http_server()
	{
		stop();
	}

	explicit operator bool() const noexcept
	{
		return on_;
	}
	/* The error of starting or stopping: 0 or -errno. */
	int error() const noexcept
	{
		return error_;
	}
	/* "http://127.0.0.1:6060" or "unix:/path"; empty if it is not running. */
	std::string address() const
	{
		int n = on_ ? cpa_http_addr(nullptr, 0) : 0;
		std::string text;

		if (n > 0) {
			text.resize(static_cast<std::size_t>(n) + 1);
			cpa_http_addr(&text[0], text.size());
			text.resize(static_cast<std::size_t>(n));
		}
		return text;
	}
	int stop() noexcept
	{
		if (on_) {
			on_ = false;
			error_ = cpa_http_stop();
		}
		return error_;
	}

      private:
	static int start(const char *listen, const char *secret_file, unsigned flags) noexcept
	{
		cpa_http_opts o = cpa_http_opts();

		o.size = sizeof(o);
		o.listen = listen;
		o.secret_file = secret_file;
		o.flags = flags;
		return cpa_http_start(&o);
	}

	int error_;
	bool on_;
};

struct http_answer {
	int error;           /* 0, or -errno; in that case nothing else is set */
	int status;          /* 200, 404, ... */
	std::string headers; /* lines that end with CR LF */
	std::string body;
};

/*
 * Answer a request for /debug/pprof: method, path and query of the request line, body of a POST. Blocks for as long
 * as the parameter seconds requires.
 */
inline http_answer http_handle(const char *method, const char *target, const std::string &body = std::string())
{
	http_answer a = { 0, 0, std::string(), std::string() };
	char headers[2048] = "";
	auto sink = [&a](const void *data, std::size_t n) { a.body.append(static_cast<const char *>(data), n); };
	detail::call<decltype(sink) &> c(sink);

	a.error = cpa_http_handle(method, target, body.data(), body.size(), &detail::call<decltype(sink) &>::write, &c,
				  &a.status, headers, sizeof(headers));
	c.rethrow();
	a.headers = headers;
	return a;
}

inline http_answer http_handle(const std::string &method, const std::string &target,
			       const std::string &body = std::string())
{
	return http_handle(method.c_str(), target.c_str(), body);
}
} // namespace cpa

#endif
