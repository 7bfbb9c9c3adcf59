// open.js - open files that are dropped on a page
{
	const token = document.querySelector("meta[name=token]")?.content;
	const say = (sentence) => {
		let errors = document.getElementById("errors");
		if (!errors) {
			errors = document.createElement("div");
			errors.id = "errors";
			errors.setAttribute("role", "alert");
			document.querySelector("main").before(errors);
		}
		errors.textContent = sentence;
	};
	// Upload a file; returns its id, time and page.
	const open = async (file) => {
		const response = await fetch(`do/open?name=${encodeURIComponent(file.name.slice(-60))}`, {
			method: "POST", body: file,
			headers: { "X-Cpa-Token": token, "Content-Type": "application/octet-stream", Accept: "application/json" },
		});
		if (!response.ok)
			throw new Error((await response.text()).trim());
		return response.json();
	};
	const openAll = async (files) => {
		const opened = [];
		for (const file of files) {
			say(`opening ${file.name} \u2026`);
			opened.push(await open(file));
		}
		if (opened.length === 2) {
			opened.sort((a, b) => a.time_ns - b.time_ns);
			location.href = `diff?base=${opened[0].id}&prof=${opened[1].id}`;
		} else {
			location.href = opened.length === 1 ? opened[0].location : "compare";
		}
	};
	const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
	addEventListener("dragover", (event) => {
		if (hasFiles(event))
			event.preventDefault();
	});
	addEventListener("drop", (event) => {
		if (!hasFiles(event) || !token)
			return;
		event.preventDefault();
		const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
		if (items.some((item) => item.webkitGetAsEntry?.()?.isDirectory))
			say("A folder cannot be opened; drop its files.");
		else
			openAll(items.map((item) => item.getAsFile())).catch((error) => say(error.message));
	});
}
