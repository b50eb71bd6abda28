"use strict";
const every = (selector) => Array.from(document.querySelectorAll(selector));
const say = (text) => { document.getElementById("said").textContent = text; };

function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target) {
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView();
  }
}

function copy(text) {
  const kept = document.createElement("textarea");
  kept.value = text;
  document.body.append(kept);
  kept.select();
  const done = document.execCommand("copy");
  kept.remove();
  say(done ? "copied" : "could not copy");
}

function step(forward) {
  const all = every("details.step");
  const here = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[Math.min(all.length - 1, Math.max(0, here + forward))];
  if (next) next.querySelector("summary").focus();
}

document.addEventListener("click", (event) => {
  const { copy: id, fold } = event.target.dataset;
  if (id) copy(document.getElementById(id).textContent);
  if (fold) every("details.step").forEach((one) => { one.open = fold === "open" || (fold === "marked" && one.classList.contains("marked")); });
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
  if (event.key === "j") step(1);
  if (event.key === "k") step(-1);
});
addEventListener("hashchange", openTarget);
openTarget();
