/** Removes each state that reverts at once to the earlier state, or value: 0, 50, 0, 50, 0 becomes 0, 50, 0. */
export function withoutDips<T>(states: readonly T[]): T[] {
  const kept: T[] = [];
  for (const state of states) {
    const [before, dip] = kept.slice(-2);
    if (kept.length > 2 && before === state && kept.slice(0, -2).includes(dip as T)) kept.pop();
    else kept.push(state);
  }
  return kept;
}
