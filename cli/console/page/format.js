// Numbers as the console writes them: with units and thousands separators.

const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
const tenths = new Intl.NumberFormat("en", {maximumFractionDigits: 1});
const compact = new Intl.NumberFormat("en", {notation: "compact", maximumFractionDigits: 1});

export const count = (number) => whole.format(number);
export const short = (number) => compact.format(number);
export const rate = (number) => `${tenths.format(Math.max(0, number))}/s`;
export const percent = (share) => `${whole.format(share * 100)} %`;
export const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

export function bytes(number) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  for (; number >= 1000 && unit < units.length - 1; ++unit) number /= 1000;
  return `${tenths.format(number)} ${units[unit]}`;
}

export function span(seconds) {
  if (seconds < 1) return `${whole.format(seconds * 1000)} ms`;
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= size) return `${tenths.format(seconds / size)} ${unit}`;
  }
  return `${whole.format(seconds)} s`;
}
