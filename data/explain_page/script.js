// Shows the data of the page of `rung explain --html`: modules, operators and their forms, a census, a search.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const CHUNK = 200;
const FATES = ["survived", "opened", "removed"];
const KINDS = {aten: "ATen", core: "core ATen", prims: "prims", other: "no operator of ATen"};
const text = (number) => data.texts[number];
const rungs = data.rungs.slice(1);  // the lowered ones
const state = {view: "operators", query: "", open: new Set(), openModules: new Set(), theme: "", sort: 1, descending: true};

// ---- the program -------------------------------------------------------------------------------------------------

// A node's row: [name, op, type, arguments, module, lines, forms]. A form: [fate, rule or reason, steps]; null without a path.
const nodes = data.nodes.map(([name, op, type, args, module, lines, forms]) => ({name, op, type, args, module, lines, forms}));
const stepOps = (form) => form[2].filter((step) => step.length > 3);  // the calls, without the bodies
const opName = (number) => data.ops[number][0];
const isOutside = (step) => step.length > 5;

// Modules with what they hold in the program's order; the first is the program.
const modules = [{id: 0, name: "", type: "", children: [], totals: [], size: 0}];
data.modules.forEach(([outer, name, type], i) => modules.push({id: i + 1, outer, name, type, children: [], totals: [], size: 0}));
(function hang() {
  for (const node of nodes) {
    const path = [];
    for (let id = node.module; id !== 0 && !modules[id].isHung; id = modules[id].outer) path.push(modules[id]);
    for (const module of path.reverse()) {
      module.isHung = true;
      modules[module.outer].children.push(module);
    }
    modules[node.module].children.push(node);
    for (let id = node.module; ; id = modules[id].outer) {
      const module = modules[id];
      module.size += 1;
      rungs.forEach((_, r) => { if (node.forms[r]) module.totals[r] = (module.totals[r] || 0) + stepOps(node.forms[r]).length; });
      if (id === 0) break;
    }
  }
})();
const isModule = (item) => item.children !== undefined;

// ---- search ------------------------------------------------------------------------------------------------------

function haystack(node) {
  if (node.haystack === undefined) {
    const words = [node.name, opName(node.op)];
    for (const form of node.forms) for (const step of form ? form[2] : []) words.push(opName(step[1]), step.length > 3 ? step[4] : "");
    node.haystack = words.join("\n").toLowerCase();
  }
  return node.haystack;
}

function matcher(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const tests = words.map((word) => {
    const form = (node) => node.forms[data.asked];
    if (word === "is:outside") return (node) => node.forms.some((f) => f && f[2].some(isOutside));
    const fate = FATES.indexOf(word.replace(/^is:/, ""));
    if (word.startsWith("is:") && fate >= 0) return (node) => form(node) && form(node)[0] === fate;
    return (node) => haystack(node).includes(word);
  });
  return (node) => tests.every((test) => test(node));
}

// The nodes that match, and how many a module holds.
let found = null;
function search() {
  found = null;
  if (!state.query.trim()) return;
  const matches = matcher(state.query);
  found = {nodes: new Set(), modules: new Map()};
  for (const node of nodes) {
    if (!matches(node)) continue;
    found.nodes.add(node);
    for (let id = node.module; ; id = modules[id].outer) {
      found.modules.set(id, (found.modules.get(id) || 0) + 1);
      if (id === 0) break;
    }
  }
}
const isShown = (item) => !found || (isModule(item) ? found.modules.has(item.id) : found.nodes.has(item));

// ---- elements ----------------------------------------------------------------------------------------------------

// make("span", "class", children...): texts become text nodes, so nothing of a program is taken for markup.
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function marked(string) {
  const word = state.query.trim().toLowerCase();
  const at = word ? string.toLowerCase().indexOf(word) : -1;
  if (at < 0) return [string];
  return [string.slice(0, at), make("mark", "", string.slice(at, at + word.length)), string.slice(at + word.length)];
}

const dotElement = (number, outside) => make("span", `dot ${outside ? "outside" : data.ops[number][1]}`);
const opText = (number) => make("span", `op mono ${data.ops[number][1]}`, ...marked(opName(number)));
const opElement = (number) => make("span", "labelled", dotElement(number), opText(number));

const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function formCell(form, rung) {
  if (!form) return make("span", "cell form soft", make("span", "number", "–"));
  const calls = stepOps(form);
  const names = [...new Set(calls.map((step) => opName(step[1]).replace(rung.name === "prims" ? /^prims\./ : /^aten\./, "")))];
  if (state.query) names.sort((a, b) => marked(b).length - marked(a).length);  // what is searched for comes first
  const said = form[0] === 0 && calls.length === 1 ? "survived" : form[0] === 2 ? "removed" : names.join(", ");
  const cell = make("span", "cell form", make("span", "number", calls.length.toLocaleString("en")));
  if (calls.some(isOutside)) cell.append(make("span", "refused", "outside"));
  cell.append(make("span", "list", ...marked(said)));
  return cell;
}

function row(className, level, cells) {
  const element = make("div", `row ${className}`, make("div", "cells", ...cells));
  element.setAttribute("role", "treeitem");
  element.setAttribute("aria-level", String(level + 1));
  element.style.setProperty("--level", level);
  element.tabIndex = -1;
  return element;
}

const nameCell = (...children) => make("span", "cell name", make("span", "caret", "▶"), make("span", "text", ...children));

function moduleRow(module, level) {
  const count = found ? `${found.modules.get(module.id)} of ${module.size}` : plural(module.size, "operator");
  const type = module.type.slice(module.type.lastIndexOf(".") + 1);
  const cells = [nameCell(module.name, make("span", "soft", type)), make("span", "cell result soft", count)];
  rungs.forEach((_, r) => cells.push(make("span", "cell form", make("span", "number", (module.totals[r] ?? "–").toLocaleString("en")))));
  const element = row("module", level, cells);
  element.title = module.type;
  const open = (isOpen) => {
    element.setAttribute("aria-expanded", String(isOpen));
    if (element.lastChild.className === "inside") element.lastChild.remove();
    if (!isOpen) return;
    const inside = make("div", "inside");
    inside.setAttribute("role", "group");
    fill(inside, module.children, level + 1);
    element.append(inside);
  };
  element.toggle = (isOpen) => {
    state.openModules[isOpen ? "add" : "delete"](module.id);
    open(isOpen);
  };
  open(state.openModules.has(module.id));
  return element;
}

function operatorRow(node, level) {
  const cells = [nameCell(make("span", "mono", ...marked(node.name)), opElement(node.op)), make("span", "cell result mono soft", text(node.type))];
  node.forms.forEach((form, r) => cells.push(formCell(form, rungs[r])));
  const element = row("operator", level, cells);
  element.dataset.name = node.name;
  element.firstChild.title = `${node.name} = ${opName(node.op)}`;
  const open = (isOpen) => {
    element.setAttribute("aria-expanded", String(isOpen));
    if (element.lastChild.className === "detail") element.lastChild.remove();
    if (isOpen) element.append(detail(node));
  };
  element.toggle = (isOpen) => {
    state.open[isOpen ? "add" : "delete"](node.name);
    open(isOpen);
    writeHash();
  };
  open(state.open.has(node.name));
  return element;
}

// Rows of what is shown, a chunk at a time.
function fill(parent, items, level) {
  const shown = items.filter(isShown);
  let next = 0;
  const more = make("button", "more");
  more.style.setProperty("--level", level);
  const add = () => {
    const end = Math.min(next + CHUNK, shown.length);
    const rows = [];
    for (; next < end; next++) rows.push(isModule(shown[next]) ? moduleRow(shown[next], level) : operatorRow(shown[next], level));
    more.remove();
    parent.append(...rows);
    if (next < shown.length) {
      more.textContent = `Show ${Math.min(CHUNK, shown.length - next)} more of ${plural(shown.length - next, "row")}`;
      parent.append(more);
    }
  };
  more.onclick = (event) => { event.stopPropagation(); add(); };
  add();
}

// ---- an operator's forms -----------------------------------------------------------------------------------------

function modulePath(node) {
  const path = [];
  for (let id = node.module; id !== 0; id = modules[id].outer) path.unshift(modules[id].name);
  return path.join(" › ");
}

function sourceLines(node) {
  const lines = [];
  for (let i = 0; i < node.lines.length; i += 2) lines.push([text(node.lines[i]), text(node.lines[i + 1])]);
  if (!lines.length) return [];
  const line = ([place, code]) => [make("span", "", place), " ", make("code", "", code)];
  const own = Math.max(0, lines.findIndex(([place]) => !place.includes("-packages/torch/")));
  const element = make("details", "lines", make("summary", "", ...line(lines[own])));
  for (const each of lines) element.append(make("div", "", ...line(each)));
  return [element];
}

function stepElement(step) {
  const [depth, op, third] = step;
  const isCall = step.length > 3;
  const what = make("span", "what mono", dotElement(op, isOutside(step)));
  if (isCall) what.append(make("span", "soft", ...marked(step[4]), " = "), opText(op), text(step[3]));
  else what.append(opText(op));
  if (isOutside(step)) what.append(make("div", "refused", text(step[5])));
  const element = make("div", isCall ? "step" : "step body", what, make("span", isCall ? "type mono" : "type", text(third)));
  element.style.setProperty("--depth", depth);
  return element;
}

function formElement(rung, form) {
  const heading = make("h3", "", rung.name, " ");
  const element = make("section", "", heading);
  element.dataset.rung = rung.name;
  const say = (words) => heading.append(make("span", "", words));
  if (!form) {
    say("no path");
    return element;
  }
  const [fate, why, steps] = form;
  const calls = stepOps(form).length;
  if (fate === 0 && calls === 1 && !steps.some(isOutside)) say("survived as it is");
  else if (fate === 2) say(`removed: ${text(why)}`);
  else if (fate === 0) say("survived");
  else say(text(why) ? `opened (${text(why)}) into ${plural(calls, "operator")}` : `replaced by ${plural(calls, "operator")}`);
  for (const step of steps) element.append(stepElement(step));
  return element;
}

function detail(node) {
  const element = make("div", "detail");
  element.append(make("p", "mono", make("span", "soft", `${node.name} = `), opElement(node.op), text(node.args)));
  const path = modulePath(node);
  if (path) element.append(make("p", "soft", path));
  element.append(...sourceLines(node));
  const forms = make("div", "forms");
  rungs.forEach((rung, r) => forms.append(formElement(rung, node.forms[r])));
  element.append(forms);
  element.onclick = (event) => event.stopPropagation();
  return element;
}

// ---- views -------------------------------------------------------------------------------------------------------

const total = (r) => data.rungs[r].census.reduce((sum, [, calls]) => sum + calls, 0);

function renderColumns() {
  const columns = byId("columns");
  columns.style.setProperty("--rungs", rungs.length);
  document.body.style.setProperty("--rungs", rungs.length);
  columns.replaceChildren(make("span", "", make("b", "", "as exported"), ` ${plural(total(0), "operator")}`), make("span", "", "result"));
  rungs.forEach((rung, r) => {
    const cell = make("span", "cell", make("b", "", rung.name), rung.error ? " no path" : ` ${plural(total(r + 1), "operator")}`);
    columns.append(cell);
    if (rung.error) byId("notices").append(make("p", "notice", `${rung.name}: ${rung.error}`));
  });
}

function renderLegend() {
  const used = new Set(data.ops.map(([, kind]) => kind));
  for (const [kind, words] of Object.entries(KINDS)) if (used.has(kind)) byId("legend").append(make("span", "", make("span", `dot ${kind}`), words));
  const outside = nodes.some((node) => node.forms.some((form) => form && form[2].some(isOutside)));
  if (outside) byId("legend").append(link("is:outside", make("span", "dot outside"), "outside of the set"));
}

function link(query, ...children) {
  const button = make("button", "link", ...children);
  button.onclick = () => ask(query);
  return button;
}

// What became of the operators on the rung that was asked for.
function renderFates() {
  const counts = [0, 0, 0];
  for (const node of nodes) if (node.forms[data.asked]) counts[node.forms[data.asked][0]] += 1;
  const element = byId("fates");
  if (rungs[data.asked].error) return;
  element.append(`On ${rungs[data.asked].name}: `);
  FATES.forEach((fate, i) => element.append(i ? ", " : "", link(`is:${fate}`, `${counts[i].toLocaleString("en")} ${fate}`)));
}

// While searching, modules open as far as their rows fit a screen or three.
function openFound() {
  state.openModules = new Set();
  if (!found) return;
  let room = CHUNK;
  for (const id of found.modules.keys()) if (found.nodes.size <= CHUNK && (room -= 1) > 0) state.openModules.add(id);
}

function renderTree() {
  const tree = byId("tree");
  tree.replaceChildren();
  fill(tree, modules[0].children, 0);
  if (!tree.firstChild) tree.append(make("p", "none", found ? `Nothing is called “${state.query.trim()}”, on any rung.` : "The program calls no operator."));
  else tree.firstChild.tabIndex = 0;
}

// At first the outermost modules are open, as far as their rows fit a screen.
function openFirst() {
  let room = 40 - modules[0].children.length;
  for (const queue = modules[0].children.filter(isModule); queue.length; ) {
    const module = queue.shift();
    if (room <= 0) break;
    room -= module.children.length;
    state.openModules.add(module.id);
    queue.push(...module.children.filter(isModule));
  }
}

function openTo(name) {
  for (const node of nodes) if (node.name === name) for (let id = node.module; id !== 0; id = modules[id].outer) state.openModules.add(id);
}

function censusRows() {
  const rows = new Map();
  data.rungs.forEach((rung, r) => rung.census.forEach(([op, calls]) => {
    if (!rows.has(op)) rows.set(op, data.rungs.map(() => 0));
    rows.get(op)[r] = calls;
  }));
  const word = state.query.trim().toLowerCase();
  return [...rows].filter(([op]) => !word || opName(op).toLowerCase().includes(word)).sort(([a, x], [b, y]) => {
    const order = state.sort === 0 ? opName(b).localeCompare(opName(a)) : x[state.sort - 1] - y[state.sort - 1];
    return (state.descending ? -order : order) || opName(a).localeCompare(opName(b));
  });
}

function censusHead(table) {
  const titles = ["operator", ...data.rungs.map((rung) => rung.name)];
  const head = table.createTHead().insertRow();
  titles.forEach((title, column) => {
    const button = make("button", "", title, state.sort === column ? (state.descending ? " ↓" : " ↑") : "");
    button.onclick = () => {
      state.descending = state.sort === column ? !state.descending : true;
      state.sort = column;
      renderCensus();
      byId("census").querySelectorAll("thead button")[column].focus();
    };
    const cell = make("th", column ? "number" : "", button);
    cell.scope = "col";
    if (state.sort === column) cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    head.append(cell);
  });
}

function renderCensus() {
  const table = make("table", "");
  censusHead(table);
  const body = table.createTBody(), rows = censusRows();
  const most = Math.max(1, ...rows.map(([, counts]) => Math.max(...counts)));
  const sums = data.rungs.map(() => 0);
  for (const [op, counts] of rows) {
    const line = body.insertRow(), name = make("button", "", opElement(op));
    name.onclick = () => ask(opName(op), "operators");
    line.dataset.op = opName(op);
    line.append(make("td", "", name));
    counts.forEach((count, r) => {
      sums[r] += count;
      const cell = make("td", count ? "number" : "number zero", count.toLocaleString("en"));
      cell.style.setProperty("--share", (100 * count) / most);
      line.append(cell);
    });
  }
  const foot = table.createTFoot().insertRow();
  foot.append(make("td", "", plural(rows.length, "operator")));
  sums.forEach((sum) => foot.append(make("td", "number", sum.toLocaleString("en"))));
  byId("census").replaceChildren(table);
}

function renderStatus() {
  const count = found ? found.nodes.size : nodes.length;
  byId("status").textContent = found ? `${count.toLocaleString("en")} of ${plural(nodes.length, "operator")}` : "";
}

function render() {
  const isCensus = state.view === "census";
  byId("tree").hidden = byId("columns").hidden = isCensus;
  byId("census").hidden = !isCensus;
  for (const view of ["operators", "census"]) byId(`view-${view}`).setAttribute("aria-pressed", String(state.view === view));
  renderStatus();
  if (isCensus) renderCensus();
  else renderTree();
  document.documentElement.style.setProperty("--top", `${document.querySelector("header").offsetHeight}px`);
}

// ---- what people do ----------------------------------------------------------------------------------------------

function ask(query, view = state.view) {
  state.query = byId("search").value = query;
  state.view = view;
  search();
  openFound();
  if (!found) openFirst();
  render();
  writeHash();
  window.scrollTo(0, 0);
}

function setTheme(theme) {
  state.theme = theme;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  byId("theme").textContent = isDark ? "Light" : "Dark";
}

// #view=census&search=softmax&open=linear,silu&theme=dark
function writeHash() {
  const parts = new URLSearchParams();
  if (state.view !== "operators") parts.set("view", state.view);
  if (state.query) parts.set("search", state.query);
  if (state.open.size) parts.set("open", [...state.open].join(","));
  if (state.theme) parts.set("theme", state.theme);
  try {
    history.replaceState(null, "", `#${parts}`);
  } catch {}  // a page inside of another one, as a notebook shows it, has no address of its own
}

function readHash() {
  const parts = new URLSearchParams(location.hash.slice(1));
  state.view = parts.get("view") === "census" ? "census" : "operators";
  state.query = byId("search").value = parts.get("search") || "";
  state.open = new Set((parts.get("open") || "").split(",").filter(Boolean));
  setTheme(["light", "dark"].includes(parts.get("theme")) ? parts.get("theme") : "");
  search();
  openFound();
  if (!found) openFirst();
  state.open.forEach(openTo);
  render();
  const first = byId("tree").querySelector(".operator[aria-expanded=true]");
  if (first && state.open.size) first.firstChild.scrollIntoView({block: "nearest"});
}

function rowsInOrder() { return [...byId("tree").querySelectorAll("[role=treeitem]")]; }

function focusRow(element) {
  if (!element) return;
  for (const other of byId("tree").querySelectorAll("[role=treeitem][tabindex='0']")) other.tabIndex = -1;
  element.tabIndex = 0;
  element.focus({preventScroll: true});
  element.firstChild.scrollIntoView({block: "nearest"});
}

const isOpen = (element) => element.getAttribute("aria-expanded") === "true";

function onRowKey(event) {
  const element = event.target;
  if (element.getAttribute("role") !== "treeitem" || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (step) {
    const rows = rowsInOrder();
    focusRow(rows[rows.indexOf(element) + step]);
  } else if (event.key === "Enter" || event.key === " ") element.toggle(!isOpen(element));
  else if (event.key === "ArrowRight") isOpen(element) ? focusRow(element.querySelector("[role=treeitem]")) : element.toggle(true);
  else if (event.key === "ArrowLeft") isOpen(element) ? element.toggle(false) : focusRow(element.parentElement.closest("[role=treeitem]"));
  else if (event.key === "Home") focusRow(rowsInOrder()[0]);
  else if (event.key === "End") focusRow(rowsInOrder().pop());
  else return;
  event.preventDefault();
}

byId("tree").addEventListener("keydown", onRowKey);
byId("tree").addEventListener("click", (event) => {
  const element = event.target.closest("[role=treeitem]");
  if (!element || String(getSelection())) return;
  focusRow(element);
  element.toggle(!isOpen(element));
});
byId("search").addEventListener("input", () => ask(byId("search").value));
byId("search").addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "Enter") return;
  event.preventDefault();
  focusRow(byId("tree").querySelector(found ? ".operator" : "[role=treeitem]"));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== byId("search")) {
    event.preventDefault();
    byId("search").select();
    byId("search").focus();
  }
  if (event.key === "Escape") {
    ask("");
    byId("search").blur();
  }
});
for (const view of ["operators", "census"]) byId(`view-${view}`).onclick = () => ask(state.query, view);
byId("theme").onclick = () => {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  writeHash();
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (!state.theme) setTheme(""); });
addEventListener("hashchange", readHash);
addEventListener("resize", () => document.documentElement.style.setProperty("--top", `${document.querySelector("header").offsetHeight}px`));

document.title = `${data.title}: rung explain`;
byId("title").textContent = data.title;
renderColumns();
renderLegend();
renderFates();
readHash();
