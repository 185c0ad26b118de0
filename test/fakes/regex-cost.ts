import { parseRegex, type RegexNode } from './regex-syntax.ts';

/** One character that has been read; `goes` are the characters that may follow, each once for every way there. */
interface Position {
  set: bigint;
  goes: number[];
  /** The whole pattern has matched here, before any following text: the engine never retries from this place. */
  isMatch: boolean;
}

/** One or more characters of each class that patterns distinguish. */
const ALPHABET = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), 'é', 'µ', '\u00a0', '\u200b', '\u2028', '\ufffd'];
const ANY = (1n << BigInt(ALPHABET.length)) - 1n;

/**
 * Reason why one search of a backtracking engine can need more than time proportional to the text, or undefined.
 * It can only if a word can be read in two ways from one place back to it (exponential), or at one loop, at a later loop, and on the way from the first to the
 * second (polynomial). The search for the place of the match also counts as a loop.
 * Source: Weideman et al., "Analyzing matching time behavior of backtracking regular expression matchers by using ambiguity of NFA", 2016.
 */
export function superLinear(source: string, flags: string): string | undefined {
  const tree = parseRegex(source);
  const odd = oddity(tree);
  if (odd) return odd;
  const positions = positionsOf(tree, flags);
  const joined = reachable(positions);
  const loops = positions.flatMap(({ isMatch }, p) => (joined[p]?.has(p) && !isMatch ? [p] : []));
  const exponential = loops.find((p) => splitsAndJoins(positions, p, joined));
  if (exponential !== undefined) return 'exponential: one text can be read in two ways in a loop';
  const all = positions.flatMap((_, p) => (joined[p]?.has(p) ? [p] : []));
  for (const p of all)
    for (const q of loops)
      if (p !== q && joined[p]?.has(q) && overlaps(positions, p, q, joined)) return 'polynomial: two loops can read the same text';
  return undefined;
}

function oddity(node: RegexNode): string | undefined {
  if (node.kind === 'backreference') return 'it refers back to a group';
  if (node.kind === 'look' && hasLoop(node.node)) return 'it looks ahead or behind without bound';
  if (isLoop(node) && hasLoop(node.node) && mayBeEmpty(node.node)) return 'exponential: a loop of a loop that may be empty';
  return childrenOf(node)
    .map(oddity)
    .find((one) => one !== undefined);
}

const isLoop = (node: RegexNode): node is Extract<RegexNode, { kind: 'repeat' }> =>
  node.kind === 'repeat' && node.max === Number.POSITIVE_INFINITY;

const hasLoop = (node: RegexNode): boolean => isLoop(node) || childrenOf(node).some(hasLoop);

function mayBeEmpty(node: RegexNode): boolean {
  if (node.kind === 'set') return false;
  if (node.kind === 'repeat') return node.min === 0 || mayBeEmpty(node.node);
  return node.kind === 'choice' ? node.nodes.some(mayBeEmpty) : childrenOf(node).every(mayBeEmpty);
}

const childrenOf = (node: RegexNode): readonly RegexNode[] => ('nodes' in node ? node.nodes : 'node' in node ? [node.node] : []);

/** An automaton with empty moves; `isSure` is false for moves that an assertion can forbid. */
class Automaton {
  readonly #setOf: (source: string) => bigint;
  readonly moves: { to: number; isSure: boolean }[][] = [];
  readonly reads = new Map<number, { set: bigint; to: number }>();

  constructor(setOf: (source: string) => bigint) {
    this.#setOf = setOf;
  }

  state(): number {
    return this.moves.push([]) - 1;
  }

  link(from: number, to: number, isSure = true): void {
    this.moves[from]?.push({ to, isSure });
  }

  /** `isLater`: behind the beginning of the text, where `^` holds no more. */
  add(node: RegexNode, from: number, isLater: boolean): number {
    const to = this.state();
    switch (node.kind) {
      case 'set':
        this.reads.set(from, { set: this.#setOf(node.source), to });
        break;
      case 'sequence': {
        let end = from;
        for (const one of node.nodes) end = this.add(one, end, isLater);
        this.link(end, to);
        break;
      }
      case 'choice':
        for (const one of node.nodes) {
          const start = this.state();
          this.link(from, start);
          this.link(this.add(one, start, isLater), to);
        }
        break;
      case 'repeat':
        this.#repeat(node, from, to, isLater);
        break;
      case 'assertion':
        if (!(isLater && node.source === '^')) this.link(from, to, false);
        break;
      default:
        this.link(from, to, false);
    }
    return to;
  }

  /** A bound counts as a constant: two turns show what more of them would. */
  #repeat({ node, min, max }: Extract<RegexNode, { kind: 'repeat' }>, from: number, to: number, isLater: boolean): void {
    let end = from;
    for (let turn = 0; turn < Math.min(min, 2); turn += 1) end = this.#turn(node, end, isLater);
    const isEndless = max === Number.POSITIVE_INFINITY;
    const more = isEndless ? 1 : Math.min(max - min, 2);
    if (isEndless) {
      const head = this.state();
      this.link(end, head);
      this.link(this.#turn(node, head, isLater), head);
      end = head;
    } else {
      for (let turn = 0; turn < more; turn += 1) {
        this.link(end, to);
        end = this.#turn(node, end, isLater);
      }
    }
    this.link(end, to);
  }

  #turn(node: RegexNode, from: number, isLater: boolean): number {
    const start = this.state();
    this.link(from, start);
    return this.add(node, start, isLater);
  }
}

function positionsOf(tree: RegexNode, flags: string): Position[] {
  const kept = [...flags].filter((flag) => 'isuv'.includes(flag)).join('');
  const automaton = new Automaton((source) => {
    const test = new RegExp(`^(?:${source})$`, kept);
    return ALPHABET.reduce((set, character, index) => (test.test(character) ? set | (1n << BigInt(index)) : set), 0n);
  });
  const [start, first, skipped, later, end] = [0, 0, 0, 0, 0].map(() => automaton.state()) as [number, number, number, number, number];
  automaton.link(start, first);
  automaton.link(automaton.add(tree, first, false), end);
  if (!flags.includes('y')) {
    automaton.link(start, skipped);
    automaton.reads.set(skipped, { set: ANY, to: later });
    automaton.link(later, skipped);
    const again = automaton.state();
    automaton.link(later, again);
    automaton.link(automaton.add(tree, again, !flags.includes('m')), end);
  }
  const readers = [...automaton.reads.keys()];
  const follow = (from: number): Pick<Position, 'goes' | 'isMatch'> => {
    const goes: number[] = [];
    let isMatch = false;
    const walk = (state: number, isSure: boolean, seen: readonly number[]): void => {
      if (state === end && isSure) isMatch = true;
      if (automaton.reads.has(state)) goes.push(readers.indexOf(state));
      for (const move of automaton.moves[state] ?? [])
        if (!seen.includes(move.to)) walk(move.to, isSure && move.isSure, [...seen, move.to]);
    };
    walk(from, true, [from]);
    return { goes, isMatch };
  };
  return readers.map((reader) => {
    const { set, to } = automaton.reads.get(reader) ?? { set: 0n, to: reader };
    return { set, ...follow(to) };
  });
}

/** For each position, the positions that can follow it after one character or more. */
function reachable(positions: readonly Position[]): Set<number>[] {
  return positions.map(({ goes }) => spread(goes, (p) => positions[p]?.goes ?? []));
}

function spread<T>(from: readonly T[], next: (one: T) => Iterable<T>): Set<T> {
  const seen = new Set(from);
  for (const one of seen) for (const other of next(one)) seen.add(other);
  return seen;
}

/** Two ways from `p` to itself by one word. */
function splitsAndJoins(positions: readonly Position[], p: number, joined: readonly Set<number>[]): boolean {
  const size = positions.length;
  const isOnLoop = (q: number) => joined[q]?.has(p) === true;
  const next = (pair: number): number[] => {
    const [a, b] = [Math.floor(pair / size), pair % size];
    const found: number[] = [];
    for (const x of positions[a]?.goes.filter(isOnLoop) ?? [])
      for (const y of positions[b]?.goes.filter(isOnLoop) ?? []) if (share(positions, x, y)) found.push(x * size + y);
    return found;
  };
  const own = positions[p]?.goes.filter(isOnLoop) ?? [];
  const isTwice = [...spread([p], (one) => positions[one]?.goes.filter(isOnLoop) ?? [])].some((one) => {
    const goes = positions[one]?.goes.filter(isOnLoop) ?? [];
    return new Set(goes).size < goes.length;
  });
  if (isTwice && own.length > 0) return true;
  const split = [...spread([p * size + p], next)].filter((pair) => Math.floor(pair / size) !== pair % size);
  return split.some((pair) => spread([pair], next).has(p * size + p));
}

/** One word that is read at `p`, from `p` to `q`, and at `q`. */
function overlaps(positions: readonly Position[], p: number, q: number, joined: readonly Set<number>[]): boolean {
  const size = positions.length;
  const key = (a: number, b: number, c: number) => (a * size + b) * size + c;
  const next = (triple: number): number[] => {
    const [a, b, c] = [Math.floor(triple / size / size), Math.floor(triple / size) % size, triple % size];
    const found: number[] = [];
    for (const x of positions[a]?.goes ?? []) {
      if (x !== p && !joined[x]?.has(p)) continue;
      for (const z of positions[c]?.goes ?? []) {
        if ((z !== q && !joined[z]?.has(q)) || !share(positions, x, z)) continue;
        for (const y of positions[b]?.goes ?? []) if ((y === q || joined[y]?.has(q)) && share(positions, x, y, z)) found.push(key(x, y, z));
      }
    }
    return found;
  };
  return spread([key(p, p, q)], next).has(key(p, q, q));
}

const share = (positions: readonly Position[], ...of: number[]): boolean =>
  of.reduce((set, p) => set & (positions[p]?.set ?? 0n), ANY) !== 0n;
