import type { AnyStateNode } from 'xstate';
import { chart } from './chart.ts';

/** The chart as a Mermaid state diagram, for the docs and `serin chart`. Made from the chart itself. */
export function mermaid(): string {
  const root: AnyStateNode = chart.root;
  const body = Object.values(root.states).flatMap((state) => block(state, '  '));
  return ['stateDiagram-v2', `  [*] --> ${nameOf(initialOf(root))}`, ...body, ...arrows(root), ''].join('\n');
}

function block(state: AnyStateNode, indent: string): string[] {
  const children = Object.values(state.states);
  if (children.length === 0) return [`${indent}state "${state.key}" as ${nameOf(state)}`];
  const inner = children.flatMap((child) => block(child, `${indent}  `));
  const first = `${indent}  [*] --> ${nameOf(initialOf(state))}`;
  return [`${indent}state "${state.key}" as ${nameOf(state)} {`, first, ...inner, `${indent}}`];
}

/** One arrow for each decision; the same move on several events is drawn once, and the one back into the same state after RESUME not at all. */
function arrows(state: AnyStateNode): string[] {
  const drawn = new Set<string>();
  for (const moves of Object.values(state.on)) {
    for (const move of moves) {
      const guard = typeof move.guard === 'string' ? move.guard : '';
      for (const target of move.target ?? []) {
        if (guard !== 'reenter') drawn.add(`  ${nameOf(state)} --> ${nameOf(target)} : ${decisionWords(guard)}`);
      }
    }
  }
  return [...drawn, ...Object.values(state.states).flatMap(arrows)];
}

function initialOf(state: AnyStateNode): AnyStateNode {
  return state.initial.target[0] ?? state;
}

function nameOf(state: AnyStateNode): string {
  return state.path.join('_');
}

/** A decision in words. */
export function decisionWords(guard: string): string {
  return guard.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}
