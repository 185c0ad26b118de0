import { type NotifierCase, page, plain } from './notifier-case.ts';

const paragraph = (text: string) => ({ widgets: [{ textParagraph: { text } }] });

export const gchat: NotifierCase = {
  ...plain,
  path: '/hook/s3cret-path',
  payload: {
    cards: [
      {
        header: { title: 'Serin', subtitle: 'podinfo.test' },
        sections: [
          paragraph('<font color=#FF0000><strong>Release of podinfo.test was rolled back: &lt;b&gt; &amp; co</strong></font>'),
          paragraph('Target<br><font color=#848484><strong>Deployment/podinfo.test</strong></font>'),
          paragraph('Traffic routing<br><font color=#848484><strong>Weight &lt;10&gt;</strong></font>'),
        ],
      },
    ],
  },
  link: {
    cards: [{ sections: [{}, { widgets: [{ buttons: [{ textButton: { text: 'OPEN PAGE', onClick: { openLink: { url: page } } } }] }] }] }],
  },
  severity: { error: '<font color=#FF0000>', warn: '<font color=#D97706>' },
  docs: { is: 'its incoming webhook', keys: '`address`' },
  pictures: { gchat: 'Google Chat' },
  limits: { bytes: 32_000 },
};
