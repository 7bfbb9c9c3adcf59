/*
 * search.cc - a server in C++: commands by TCP, profiles by HTTP
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	make search && ./search 127.0.0.1:6060 &          prints the address of its profiles and the port for commands
 *	printf 'add 1 the quick brown fox\nfind quick\n' | nc 127.0.0.1 PORT
 *	cpa tags 'http://127.0.0.1:6060/debug/pprof/profile?seconds=5'     CPU time by command
 *	cpa top http://127.0.0.1:6060/debug/pprof/connections              open connections: a custom profile
 *
 * With "load" as second argument it also runs clients.
 */
#include <cpa/pprof.hpp>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static std::mutex lock;
static std::map<std::string, std::set<unsigned>> index_of; /* word: documents */

static void add(unsigned document, std::istringstream &words)
{
	std::lock_guard<std::mutex> guard(lock);

	for (std::string word; words >> word;)
		index_of[word].insert(document);
}

/* The number of documents with a word that contains part. */
static std::string find(const std::string &part)
{
	std::lock_guard<std::mutex> guard(lock);
	std::set<unsigned> found;

	for (const auto &entry : index_of)
		if (entry.first.find(part) != std::string::npos)
			found.insert(entry.second.begin(), entry.second.end());
	return std::to_string(found.size());
}

static std::string answer(const std::string &line)
{
	std::istringstream words(line);
	std::string command, part;
	unsigned document = 0;

	words >> command;
	cpa::labels l{ { "command", command } };
	return cpa::do_(l, [&]() -> std::string {
		if (command == "add" && words >> document)
			return add(document, words), "ok";
		if (command == "find" && words >> part)
			return find(part);
		return "what?";
	});
}

static void serve(int fd)
{
	auto held = cpa::profile::make("connections").hold(reinterpret_cast<void *>(static_cast<long>(fd)));
	std::string pending;
	char buf[4096];

	for (ssize_t n; (n = read(fd, buf, sizeof(buf))) > 0;) {
		pending.append(buf, static_cast<std::size_t>(n));
		for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
			std::string line = answer(pending.substr(0, end)) + "\n";

			if (send(fd, line.data(), line.size(), MSG_NOSIGNAL) < 0)
				break;
		}
	}
	close(fd);
}

static void load(sockaddr_in at)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	std::string text;
	char buf[64];

	if (connect(fd, reinterpret_cast<sockaddr *>(&at), sizeof(at)) < 0)
		return;
	for (unsigned n = 0;; n++) {
		text = "add " + std::to_string(n % 1000);
		for (unsigned i = 0; i < 20; i++)
			text += " word" + std::to_string((n * 2654435761u + i * 40503u) % 5000);
		text += "\nfind word" + std::to_string(n % 500) + "\n";
		if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0 || read(fd, buf, sizeof(buf)) <= 0)
			break;
	}
	close(fd);
}

int main(int argc, char **argv)
{
	cpa::http_server profiles{ argc > 1 ? argv[1] : "127.0.0.1:0" };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	sockaddr_in at{};
	socklen_t n = sizeof(at);

	if (!profiles)
		std::fprintf(stderr, "search: no profiles: %s\n", std::strerror(-profiles.error()));
	cpa_mutex_set_fraction(1);
	at.sin_family = AF_INET;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, reinterpret_cast<sockaddr *>(&at), n) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, reinterpret_cast<sockaddr *>(&at), &n) < 0) {
		std::perror("search");
		return 1;
	}
	std::printf("%s\nlines: port %d\n", profiles.address().c_str(), ntohs(at.sin_port));
	std::fflush(stdout);
	for (int i = 0; argc > 2 && i < 3; i++)
		std::thread(load, at).detach();
	for (int client; (client = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
		std::thread(serve, client).detach();
}
