/** Values of --output; without it, text. Apart from the code that writes them, which a newcomer's `--help` need not load. */
export const outputFormats = ['json', 'yaml', 'wide', 'name'] as const;
export type OutputFormat = (typeof outputFormats)[number];
