"use strict";
const data = JSON.parse(document.getElementById("rows").textContent);
const at = (id) => document.getElementById(id);
const SELECTS = ["suite", "scenario", "arm", "model", "verdict", "status"];
const PAGE = 200;
let found = [];
let drawn = 0;

const words = (row, name) => data.words[name][row[data.places[name]]];
const plain = (row, name) => row[data.places[name]];
const searched = data.rows.map((row) =>
  [words(row, "scenario"), words(row, "reason"), plain(row, "run")].join(" ").toLowerCase());

function asked() {
  const made = Object.fromEntries(SELECTS.map((name) => [name, at(name).value]));
  return { ...made, q: at("q").value.trim(), old: at("old").checked ? "1" : "" };
}

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of SELECTS) {
    const value = given.get(name) || "";
    const known = Array.from(at(name).options).some((option) => option.value === value);
    at(name).value = known ? value : "";
  }
  at("q").value = given.get("q") || "";
  at("old").checked = given.get("old") === "1";
}

function keep() {
  const set = Object.entries(asked()).filter(([, value]) => value);
  history.replaceState(null, "", "#" + new URLSearchParams(set).toString());
}

function select() {
  const want = asked();
  const q = want.q.toLowerCase();
  const places = SELECTS.filter((name) => want[name]).map((name) => [data.places[name], data.words[name].indexOf(want[name])]);
  found = [];
  for (let n = 0; n < data.rows.length; n++) {
    const row = data.rows[n];
    if (!want.old && !plain(row, "counts")) continue;
    if (places.some(([place, word]) => row[place] !== word)) continue;
    if (q && !searched[n].includes(q)) continue;
    found.push(row);
  }
  at("list").tBodies[0].replaceChildren();
  drawn = 0;
  draw();
  const of = want.old ? data.rows.length : data.rows.filter((row) => plain(row, "counts")).length;
  at("count").textContent = `${found.length} of ${of} runs`;
  narrow(want, q);
}

function cell(text, cls) {
  const made = document.createElement("td");
  made.textContent = text;
  if (cls) made.className = cls;
  return made;
}

function line(row) {
  const made = document.createElement("tr");
  const verdict = words(row, "verdict");
  const link = document.createElement("a");
  const run = plain(row, "run");
  const page = plain(row, "page");
  if (page === 1) link.href = "runs/" + encodeURIComponent(run) + ".html";
  else if (page === 2) link.href = data.raw + encodeURIComponent(run) + "/";
  link.textContent = verdict;
  link.className = "tag " + verdict;
  link.title = run;
  const first = document.createElement("td");
  first.append(link);
  made.append(first, ...["scenario", "arm", "model"].map((name) => cell(words(row, name))), cell(plain(row, "trial"), "n"),
    ...["axis_a", "axis_b", "status", "reason"].map((name) => cell(words(row, name))),
    cell(plain(row, "seconds"), "n"), cell(plain(row, "usd"), "n"));
  if (!plain(row, "counts")) made.className = "old";
  return made;
}

function draw() {
  at("list").tBodies[0].append(...found.slice(drawn, drawn + PAGE).map(line));
  drawn = Math.min(found.length, drawn + PAGE);
  at("more").hidden = drawn >= found.length;
  at("more").textContent = `Show more (${found.length - drawn} left)`;
}

function narrow(want, q) {
  const names = new Set(found.map((row) => words(row, "scenario")));
  const searching = q && !names.size;
  for (const suite of document.querySelectorAll(".suite")) {
    suite.hidden = Boolean(want.suite) && suite.dataset.suite !== want.suite;
    for (const row of suite.querySelectorAll("tbody tr")) row.hidden = searching || !names.has(row.dataset.scenario);
    suite.querySelectorAll("thead th[data-arm]").forEach((head, n) => {
      const hidden = Boolean((want.arm && head.dataset.arm !== want.arm) || (want.model && head.dataset.model !== want.model));
      if (head.hidden === hidden) return;
      for (const row of suite.querySelectorAll("tr")) if (row.cells[n + 1]) row.cells[n + 1].hidden = hidden;
    });
  }
}

function walk(by) {
  const links = Array.from(document.querySelectorAll("#list a[href]"));
  const here = links.indexOf(document.activeElement);
  const next = links[Math.min(links.length - 1, Math.max(0, here + by))];
  if (next) next.focus();
}

let waiting = 0;
function changed() {
  clearTimeout(waiting);
  waiting = setTimeout(() => { keep(); select(); }, 80);
}

at("filters").addEventListener("submit", (event) => event.preventDefault());
at("filters").addEventListener("input", changed);
at("clear").addEventListener("click", () => { location.hash = ""; read(); select(); });
at("more").addEventListener("click", draw);
for (const button of document.querySelectorAll("[data-jump]")) {
  button.addEventListener("click", () => at(button.dataset.jump).scrollIntoView());
}
addEventListener("hashchange", () => { read(); select(); if (location.hash.length > 1) at("runs").scrollIntoView(); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = ["INPUT", "SELECT"].includes(event.target.tagName);
  if (event.key === "Escape") { at("clear").click(); event.target.blur(); }
  if (typing) return;
  if (event.key === "/") { event.preventDefault(); at("q").focus(); }
  if (event.key === "j") walk(1);
  if (event.key === "k") walk(-1);
});
read();
select();
