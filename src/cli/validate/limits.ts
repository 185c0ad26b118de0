/**
 * Bounds for the content of files: manifests can come from a pull request of a stranger, and a CI job has to end. Each is far above usual files; beyond it
 * there is a finding with its place, and earlier content is judged.
 */
export const MOST = {
  /** Bytes of a file. */
  fileBytes: 32 * 2 ** 20,
  /** Bytes of all files of a run. */
  bytes: 128 * 2 ** 20,
  /** Manifests below one folder, and entries of it that are looked at. */
  files: 10_000,
  entries: 1_000_000,
  /** Words of YAML (keys, values, marks) in a file: each becomes some hundred bytes of memory. */
  words: 2_000_000,
  /** The same in all files of a run. */
  wordsOfRun: 10_000_000,
  /** Anchors of a file, and aliases of it. */
  anchors: 10_000,
  /** Documents of a file, and objects of a run. */
  documents: 10_000,
  /** Nodes that the aliases of a document add to it. */
  unfolded: 1_000_000,
  /** Pairs of a Canary and an object near it that are checked for losses at the Canary's arrival. */
  looks: 300_000,
  /** Maps and lists within each other. */
  depth: 200,
} as const;

/** Spent so far in a run, for the limits that hold for all its files. */
export class Spent {
  bytes = 0;
  words = 0;
  objects = 0;
}

export const megabytes = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
