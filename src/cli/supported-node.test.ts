import { expect, it } from 'vitest';
import { nodeProblem } from './supported-node.ts';

it.each(['22.18.0', '22.21.3', '23.0.0', '24.21.0', '26.10.0'])('Node %s runs the program', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

it.each(['22.17.9', '20.20.2', '18.0.0', '6.9.0'])('Node %s is refused, with the version that is needed', (version) => {
  expect(nodeProblem(version)).toContain(`needs Node 22.18 or newer, and this is Node ${version}: install a newer one`);
});
