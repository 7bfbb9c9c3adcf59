// loading.js - show the progress of the load, and then the view
{
	const loading = document.getElementById("loading");
	const poll = async () => {
		const progress = await (await fetch("progress")).json();
		if (progress.state !== "loading") {
			location.reload();
			return;
		}
		loading.textContent = progress.activity + (progress.percent < 0 ? "" : `, ${progress.percent}\u00a0%`);
		document.querySelector("progress").value = Math.max(progress.percent, 0);
		setTimeout(poll, 200);
	};
	if (loading)
		setTimeout(poll, 100);
}

// A page of instructions starts at the hottest one.
if (!location.hash)
	document.getElementById(document.querySelector("[data-start]")?.hash.slice(1))?.scrollIntoView();
