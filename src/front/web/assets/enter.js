/* enter.js - posts the secret from the fragment of the address, and removes it from the history */
// SPDX-License-Identifier: Apache-2.0
const form = document.querySelector("form.enter");
const secret = location.hash.slice(1);
if (secret && location.pathname.endsWith("/enter")) {
	history.replaceState(null, "", location.pathname + location.search);
	form.elements.secret.value = secret;
	form.submit();
}
