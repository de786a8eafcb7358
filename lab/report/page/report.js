// Draws the plot of a report and keeps its legend. The numbers stand in the page, in #data.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("data").textContent);
  const svg = document.getElementById("plot");
  const metricChoice = document.getElementById("metric");
  const slider = document.getElementById("at");
  const LOW = 0, ESTIMATE = 1, HIGH = 2;
  const SHAPES = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-4,-4h8v8h-8z", "M0,-5L5,4H-5z", "M0,-5L5,0L0,5L-5,0z"];

  const add = (parent, name, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  const colour = (i) => `var(--s${i % 8})`;
  const byTime = () => document.querySelector("input[name=x]:checked").value === "time";
  const curveOf = (strategy) => (byTime() ? strategy.by_time : strategy.by_fetches);
  const isShown = (i) => document.getElementById("show" + i).checked;

  // ---- numbers as people read them ----
  const grouped = (number, digits) =>
    number.toLocaleString("en", {minimumFractionDigits: 0, maximumFractionDigits: digits});
  const number = (value) => {
    const size = Math.abs(value);
    return grouped(value, size >= 1000 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  };
  const percent = (value) => grouped(value * 100, value * 100 >= 99 || value * 100 < 1 ? 2 : 1) + " %";
  const figure = (metric, value) => (metric.share ? percent(value) : number(value));
  const duration = (seconds) => {
    const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
    const from = units.findIndex(([, size]) => seconds >= size);
    if (from < 0 || units[from][0] === "s") return number(seconds) + " s";
    const [unit, size] = units[from], [below, part] = units[from + 1];
    const whole = Math.floor(seconds / size), rest = Math.floor((seconds - whole * size) / part);
    return rest > 0 ? `${whole} ${unit} ${rest} ${below}` : `${whole} ${unit}`;
  };

  // Round steps, so that about `wanted` of them reach `most`.
  const stepOf = (most, wanted, bases) => {
    const raw = most / wanted;
    if (bases) return bases.find((base) => base >= raw) || Math.ceil(raw / 86400) * 86400;
    const power = 10 ** Math.floor(Math.log10(raw));
    return power * ([1, 2, 2.5, 5, 10].find((base) => base * power >= raw) || 10);
  };
  const TIMES = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

  // The place of x among `xs`, as a whole place and a fraction to the next.
  const placeOf = (xs, x) => {
    let low = 0, high = xs.length - 1;
    if (x >= xs[high]) return [high, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (xs[middle] <= x) low = middle; else high = middle;
    }
    const width = xs[high] - xs[low];
    return [low, width > 0 ? (x - xs[low]) / width : 0];
  };
  const valueAt = (values, [place, fraction]) =>
    fraction === 0 ? values[place] : values[place] + fraction * (values[place + 1] - values[place]);

  const draw = () => {
    const metric = report.metrics[metricChoice.selectedIndex];
    document.getElementById("meaning").textContent = metric.meaning;
    const width = Math.max(280, svg.parentElement.clientWidth), height = width < 560 ? 300 : 400;
    const shown = report.strategies.map((strategy, i) => [curveOf(strategy), i]).filter(([, i]) => isShown(i));
    const all = report.strategies.map(curveOf);
    const mostX = Math.max(...all.map((curve) => curve.x[curve.x.length - 1])) || 1;
    const mostY = Math.max(...(shown.length ? shown : [[all[0]]]).map(
      ([curve]) => Math.max(...curve[metric.name][HIGH]))) || 1;
    const stepY = stepOf(mostY, height < 350 ? 4 : 6);
    const topY = Math.ceil(mostY / stepY - 1e-9) * stepY;
    const label = (y) => (metric.share ? grouped(y * 100, 3) + " %" : grouped(y, 4));
    const widest = Math.max(...[topY, stepY, topY - stepY].map((y) => label(y).length));
    const left = 14 + 8 * widest, right = 14, top = 12, bottom = 46;
    const X = (x) => left + (x / mostX) * (width - left - right);
    const Y = (y) => height - bottom - (y / topY) * (height - top - bottom);

    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (let y = 0; y <= topY * 1.0001; y += stepY) {
      add(svg, "line", {class: y ? "grid" : "axis", x1: left, x2: width - right, y1: Y(y), y2: Y(y)});
      add(svg, "text", {x: left - 8, y: Y(y) + 4, "text-anchor": "end"}, label(y));
    }
    const stepX = stepOf(mostX, width < 560 ? 3 : 7, byTime() ? TIMES : null);
    for (let x = 0; x <= mostX * 1.0001; x += stepX) {
      const text = byTime() ? (x ? duration(x) : "0") : grouped(x, 0);
      const atEnd = X(x) > width - right - 30;
      add(svg, "text", {x: atEnd ? width - right : X(x), y: height - bottom + 20, "text-anchor": atEnd ? "end" : "middle"}, text);
      add(svg, "line", {class: "axis", x1: X(x), x2: X(x), y1: height - bottom, y2: height - bottom + 5});
    }
    add(svg, "text", {x: left + (width - left - right) / 2, y: height - 6, "text-anchor": "middle"},
      byTime() ? "time of the crawl" : "fetches");
    if (!byTime() && report.compared < mostX * 0.995) {
      add(svg, "line", {class: "mark", x1: X(report.compared), x2: X(report.compared), y1: top, y2: height - bottom});
    }

    for (const [curve, i] of shown) {
      const xs = curve.x, values = curve[metric.name];
      const points = (row) => xs.map((x, k) => `${X(x).toFixed(1)},${Y(values[row][k]).toFixed(1)}`);
      add(svg, "path", {d: "M" + points(HIGH).join("L") + "L" + points(LOW).reverse().join("L") + "Z", fill: colour(i), opacity: 0.16});
    }
    for (const [curve, i] of shown) {
      const xs = curve.x, values = curve[metric.name];
      // Where the bounds part, the line between them is an estimate.
      let paths = {known: "", estimated: ""};
      let before = null;
      xs.forEach((x, k) => {
        const isEstimated = values[HIGH][k] - values[LOW][k] > 1e-9 * topY;
        const kind = isEstimated ? "estimated" : "known";
        const point = `${X(x).toFixed(1)},${Y(values[ESTIMATE][k]).toFixed(1)}`;
        if (before) paths[kind] += `${before.kind === kind ? "L" : "M" + before.point + "L"}${point}`;
        before = {kind: before ? kind : "", point};
      });
      add(svg, "path", {d: paths.known || "M0,0", fill: "none", stroke: colour(i), "stroke-width": 2.25, "stroke-linejoin": "round"});
      add(svg, "path", {d: paths.estimated || "M0,0", fill: "none", stroke: colour(i), "stroke-width": 2.25, "stroke-dasharray": "7 4"});
      const last = xs.length - 1;
      add(svg, "path", {d: SHAPES[i % 4], fill: colour(i), transform: `translate(${X(xs[last])},${Y(values[ESTIMATE][last])})`});
    }

    const x = (slider.value / slider.max) * mostX;
    add(svg, "line", {class: "cursor", x1: X(x), x2: X(x), y1: top, y2: height - bottom});
    const at = byTime() ? duration(x) : grouped(Math.round(x), 0) + " fetches";
    document.getElementById("where").textContent = at;
    slider.setAttribute("aria-valuetext", at);
    report.strategies.forEach((strategy, i) => {
      const curve = curveOf(strategy), place = placeOf(curve.x, x);
      const [low, estimate, high] = curve[metric.name].map((row) => valueAt(row, place));
      const has = x <= curve.x[curve.x.length - 1] * 1.0001;
      const isExact = high - low <= 1e-9 * topY;
      document.getElementById("estimate" + i).textContent = (isExact ? "" : "≈ ") + figure(metric, estimate) + (has ? "" : " (its end)");
      document.getElementById("bounds" + i).textContent =
        isExact ? "exact" : `${figure(metric, low)} to ${figure(metric, high)}`;
      document.getElementById("support" + i).textContent = percent(valueAt(curve.support, place));
    });
    svg.setAttribute("aria-label", `${metric.title} over ${byTime() ? "time" : "fetches"}: ` + report.strategies.map(
      (strategy, i) => `${strategy.name} ${document.getElementById("estimate" + i).textContent}`).join(", ") + ` at ${at}`);
  };

  document.querySelectorAll(".key path").forEach((path, i) => path.setAttribute("d", SHAPES[i % 4]));
  document.getElementById("explorer").addEventListener("input", draw);
  const follow = (event) => {
    const box = svg.getBoundingClientRect();
    const first = svg.querySelector(".axis");
    const from = Number(first.getAttribute("x1")), to = Number(first.getAttribute("x2"));
    const x = (event.clientX - box.left) * (svg.viewBox.baseVal.width / box.width);
    slider.value = Math.max(0, Math.min(1, (x - from) / (to - from))) * slider.max;
    draw();
  };
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  addEventListener("resize", draw);
  draw();
})();
