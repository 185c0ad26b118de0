import { escapeMarkup } from './escape-markup.ts';
import { type AlertFormat, type AlertMessage, workloadName } from './notifier.ts';

/** Google Chat (05-A45); no icon has a public address. */
export const gchat: AlertFormat = {
  body(message) {
    const fields = message.fields.map(({ name, value }) => section(`${escapeMarkup(name)}<br>${grey(value)}`));
    return {
      cards: [
        {
          header: { title: 'Serin', subtitle: workloadName(message) },
          sections: [section(grey(message.text)), ...fields, ...linkTo(message)],
        },
      ],
    };
  },
};

function section(text: string): object {
  return { widgets: [{ textParagraph: { text } }] };
}

function grey(text: string): string {
  return `<font color=#848484><strong>${escapeMarkup(text)}</strong></font>`;
}

function linkTo({ page }: AlertMessage): object[] {
  if (page === undefined) return [];
  return [{ widgets: [{ buttons: [{ textButton: { text: 'OPEN PAGE', onClick: { openLink: { url: page } } } }] }] }];
}
