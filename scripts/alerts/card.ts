import { isRecord } from '../../src/base/json.ts';

/** A payload as a user sees it. */
export interface Card {
  /** Colour in the form of CSS. */
  color: string;
  author: string;
  text: string;
  fields: readonly { name: string; value: string }[];
  buttons: readonly string[];
}

/** Colours that Slack and Adaptive Cards name. */
const named: Readonly<Record<string, string>> = {
  danger: '#E01E5A',
  warning: '#DAA038',
  good: '#2EB67D',
  Attention: '#C4314B',
  Warning: '#D97706',
  Good: '#237B4B',
  Accent: '#4F52B2',
};

/** The first record at this path. */
function at(value: unknown, ...path: (string | number)[]): Record<string, unknown> {
  const found = path.reduce<unknown>((one, key) => (Array.isArray(one) ? one[Number(key)] : isRecord(one) ? one[key] : undefined), value);
  return isRecord(found) ? found : {};
}

const listIn = (value: Record<string, unknown>, key: string): Record<string, unknown>[] =>
  Array.isArray(value[key]) ? value[key].filter(isRecord) : [];
const pairs = (list: Record<string, unknown>[], name: string) => list.map((one) => ({ name: String(one[name]), value: String(one.value) }));
const buttonsOf = (list: Record<string, unknown>[], key: string): string[] => list.map((one) => String(one[key]));

/** Reads a golden payload as its service would show it. */
export function cardOf(service: string, payload: unknown): Card {
  if (service === 'msteams') return messageCard(payload);
  if (service === 'msteams-adaptive-card') return adaptiveCard(payload);
  if (service === 'gchat') return googleCard(payload);
  const one = at(payload, 'attachments', 0);
  const color = String(one.color);
  return {
    color: named[color] ?? color,
    author: String(one.author_name),
    text: unescaped(String(one.text)),
    fields: pairs(listIn(one, 'fields'), 'title').map(({ name, value }) => ({ name: unescaped(name), value: unescaped(value) })),
    buttons: buttonsOf(listIn(one, 'actions'), 'text'),
  };
}

function messageCard(payload: unknown): Card {
  const section = at(payload, 'sections', 0);
  return {
    color: `#${at(payload).themeColor}`,
    author: String(section.activitySubtitle),
    text: String(section.activityTitle),
    fields: pairs(listIn(section, 'facts'), 'name'),
    buttons: buttonsOf(listIn(at(payload), 'potentialAction'), 'name'),
  };
}

function adaptiveCard(payload: unknown): Card {
  const content = at(payload, 'attachments', 0, 'content');
  const title = at(content, 'body', 0);
  return {
    color: named[String(title.color)] ?? 'black',
    author: String(at(content, 'body', 1).text),
    text: String(title.text),
    fields: pairs(listIn(at(content, 'body', 2), 'facts'), 'title'),
    buttons: buttonsOf(listIn(content, 'actions'), 'title'),
  };
}

function googleCard(payload: unknown): Card {
  const card = at(payload, 'cards', 0);
  const widgets = listIn(card, 'sections').map((section) => at(section, 'widgets', 0));
  const texts = widgets.map((widget) => String(at(widget, 'textParagraph').text ?? ''));
  const shown = texts.map((text) => unescaped(text.replace(/<[^>]*>/g, (tag) => (tag === '<br>' ? '\n' : ''))));
  const [text = '', ...fields] = shown.filter((one) => one !== '');
  return {
    color: /color=(#\w+)/.exec(texts[0] ?? '')?.[1] ?? 'black',
    author: String(at(card, 'header').subtitle),
    text,
    fields: fields.map((field) => ({ name: field.split('\n')[0] ?? '', value: field.split('\n').slice(1).join(' ') })),
    buttons: widgets.flatMap((widget) => listIn(widget, 'buttons').map((button) => String(at(button, 'textButton').text))),
  };
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
