/** Files that put other modules in the place of ours, or count the work of modules: other files of their process would have loaded these by then. */
export const OWN_PROCESS: readonly string[] = [
  'test/integration/unchecked-promotion.test.ts',
  'test/integration/unwatched-configs.test.ts',
  'src/cli/validate/hostile-work.test.ts',
];
