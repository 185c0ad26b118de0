import { parseSync } from 'vite';

/** A node of the syntax tree. Fields beyond these depend on its type. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

/** The field of a node that is a node itself. */
export function nodeAt(node: Node | undefined, field: string): Node | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

export function nodesAt(node: Node, field: string): Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export const textAt = (node: Node | undefined, field: string): string => {
  const value = node?.[field];
  return typeof value === 'string' ? value : '';
};

/** Statements of a module. */
export function parseModule(file: string, text: string): Node {
  const { program, errors } = parseSync(file, text, { lang: 'ts', sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const root: unknown = program;
  if (!isNode(root)) throw new Error(`${file} has no syntax tree`);
  return root;
}

/** Has no code that runs: types, and names of other modules. */
const isWithoutCode = (node: Node): boolean => {
  const { type } = node;
  if (type.startsWith('TS')) return !/^TS(?:As|Satisfies|NonNull|TypeAssertion|Instantiation)/.test(type);
  const isOfOthers = type === 'ExportNamedDeclaration' && nodeAt(node, 'source') !== undefined;
  return isOfOthers || type === 'ImportDeclaration' || type === 'ExportAllDeclaration';
};

/** Calls `visit` with each node that has code and with those around it, the nearest first; it can refuse what is within. */
export function walk(node: Node, visit: (node: Node, around: readonly Node[]) => boolean, around: readonly Node[] = []): void {
  if (isWithoutCode(node) || !visit(node, around)) return;
  const within = [node, ...around];
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, within);
}
