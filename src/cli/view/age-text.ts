const UNITS = [
  { suffix: 'd', seconds: 86_400 },
  { suffix: 'h', seconds: 3600 },
  { suffix: 'm', seconds: 60 },
] as const;

/** `45s`, `12m`, `3h` or `9d` since a time of RFC 3339, as kubectl shows ages; `-` where it is unknown. */
export function ageText(time: string | undefined, nowMs: number): string {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(ms)) return '-';
  const age = Math.max(0, Math.floor((nowMs - ms) / 1000));
  const unit = UNITS.find(({ seconds }) => age >= seconds);
  return unit === undefined ? `${age}s` : `${Math.floor(age / unit.seconds)}${unit.suffix}`;
}
