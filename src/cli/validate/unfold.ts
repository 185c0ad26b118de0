import { type Document, isAlias, isCollection, isPair, isScalar, type Node } from 'yaml';
import { MOST } from './limits.ts';
import type { TextFault } from './yaml-text.ts';

/**
 * Replaces each alias by the node of its anchor, in one walk. The library searches the document for each alias, and follows an alias that leads to itself.
 * Kubectl refuses the same documents.
 */
export function unfold(document: Document): TextFault | undefined {
  try {
    new Walk().visit(document.contents, 0);
    return undefined;
  } catch (fault) {
    if (fault instanceof Fault) return fault.is;
    throw fault;
  }
}

/** Ends the walk. */
class Fault extends Error {
  readonly is: TextFault;

  constructor(node: unknown, message: string) {
    super(message);
    this.is = { offset: (node as Partial<Node>).range?.[0] ?? 0, message };
  }
}

interface Measured {
  nodes: number;
  depth: number;
}

class Walk {
  /** The last node with each name so far. */
  readonly #anchors = new Map<string, Node>();
  /** Nodes that were walked; an anchored node that is not here is still open. */
  readonly #measured = new Map<Node, Measured>();
  #added = 0;

  /** Nodes below a node with the deepest level among them, once its aliases are unfolded. */
  visit(node: unknown, level: number): Measured {
    if (level > MOST.depth) throw new Fault(node, 'is not YAML: it is nested too deeply: write it flatter');
    const anchored = (isScalar(node) || isCollection(node)) && node.anchor ? node : undefined;
    if (anchored?.anchor) this.#anchors.set(anchored.anchor, anchored);
    const measured: Measured = { nodes: 1, depth: 1 };
    const add = (child: unknown): unknown => {
      const replaced = isAlias(child) ? this.#meantBy(child, level + 1) : child;
      const of = (isAlias(child) && this.#measured.get(replaced as Node)) || this.visit(replaced, level + 1);
      measured.nodes += of.nodes;
      measured.depth = Math.max(measured.depth, 1 + of.depth);
      return replaced;
    };
    if (isCollection(node)) {
      const keys = new Set<unknown>();
      for (const [index, item] of node.items.entries()) {
        if (!isPair(item)) {
          node.items[index] = add(item);
          continue;
        }
        if (isScalar(item.key)) {
          if (keys.has(item.key.value)) throw new Fault(item.key, 'is not YAML: Map keys must be unique: remove one of them');
          keys.add(item.key.value);
        }
        item.key = add(item.key);
        item.value = add(item.value);
      }
    }
    if (anchored) this.#measured.set(anchored, measured);
    return measured;
  }

  #meantBy(alias: Node & { source: string }, level: number): Node {
    const meant = this.#anchors.get(alias.source);
    if (meant === undefined) throw new Fault(alias, 'is not YAML: Unresolved alias: define the anchor before its alias');
    const measured = this.#measured.get(meant);
    if (measured === undefined) throw new Fault(alias, 'has an alias within its own anchor: write the value itself');
    this.#added += measured.nodes;
    if (this.#added > MOST.unfolded) throw new Fault(alias, 'unfolds its aliases without end: write it without them');
    if (level + measured.depth > MOST.depth) throw new Fault(alias, 'is not YAML: it is nested too deeply: write it flatter');
    return meant;
  }
}
