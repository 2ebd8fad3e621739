/** Content type of Prometheus' text format 0.0.4, as kube-apiserver sends it. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

export type MetricType = 'counter' | 'gauge' | 'histogram';

export function familyHead(name: string, help: string, type: MetricType): string {
  return `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}\n# TYPE ${name} ${type}\n`;
}

/** `a="1",b="2"`, sorted by name. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}="${(labels[name] ?? '').replace(/[\\\n"]/g, escaped)}"`)
    .join(',');
}

export function sampleLine(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${numberText(value)}\n` : `${name}{${labels}} ${numberText(value)}\n`;
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`;
}

/** Formats numbers like Go (1e+06), because dashboards compare the `le` label as text. */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
