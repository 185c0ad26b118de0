/** Invisible character that is part of no mention, link or tag. */
const BREAK = '\u200b';

/** These also call many users within a word (Discord). */
const everyone = /@(?=everyone|here|all|channel)/gi;
/** `@name`, and no address of mail or image such as `ann@example.org` or `app@sha256:…`. */
const mention = /(?<![\w@])@(?=[\w&!])/g;
/** `<@id>`, `<!here>`, `<#id>`, `<https://…|words>`, `<a href=…>`, `<img/src=…>`; not `<10` or `<b>`. */
const tag = /<(?=[@!#:]|[a-z][a-z0-9+.-]{0,30}[:/\s])/gi;
/** `[words](address)`, its images, and `[words][name]`. */
const link = /\](?=[([])/g;

/**
 * Disarms text that a foreign server or tenant can write, for receivers whose markup has no escape that all of their clients know: it calls no user and hides
 * no address behind other words. All other text stays unmodified. A visible address is still a link.
 */
export function inertText(text: string): string {
  return text
    .replace(everyone, `@${BREAK}`)
    .replace(mention, `@${BREAK}`)
    .replace(tag, `<${BREAK}`)
    .split('\n')
    .map(withoutLinkDefinition)
    .join('\n')
    .replace(link, `]${BREAK}`);
}

/** `[name]: address`, at the beginning of a line. */
function withoutLinkDefinition(line: string): string {
  const end = line.indexOf(']') + 1;
  return line.trimStart().startsWith('[') && line[end] === ':' ? line.slice(0, end) + BREAK + line.slice(end) : line;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The three characters that Slack and Google Chat read as markup: words of a foreign server must not call a whole channel. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
