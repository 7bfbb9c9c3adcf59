// capture.js - show the progress of captures, and then the profile
{
	const text = (p) => {
		const parts = [`${Math.floor(p.ms / 1000)}\u00a0s` + (p.seconds ? ` of ${p.seconds}\u00a0s` : "")];
		if (p.samples)
			parts.push(`${p.samples.toLocaleString("en")} samples`);
		if (p.bytes)
			parts.push(`${p.bytes.toLocaleString("en")} bytes received`);
		return parts.join(", ");
	};
	const watch = async (section) => {
		let progress;
		try {
			progress = await (await fetch(`progress?capture=${section.dataset.capture}`)).json();
		} catch {
			setTimeout(watch, 2000, section);
			return;
		}
		if (progress.state === "done" && document.querySelectorAll("[data-capture]").length === 1) {
			history.replaceState(null, "", "capture"); // going back shows the list
			location.href = progress.location;
		} else if (progress.state !== "running")
			location.reload();
		else {
			section.querySelector(".count").textContent = text(progress);
			if (progress.seconds)
				section.querySelector("progress").value = Math.min(progress.ms / 1000, progress.seconds);
			setTimeout(watch, 500, section);
		}
	};
	for (const section of document.querySelectorAll("[data-capture]"))
		watch(section);
}
