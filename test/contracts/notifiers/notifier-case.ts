import type { AlertMessage } from '../../../src/notifiers/notifier.ts';

export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

export const message: AlertMessage = {
  key: 'u1/3/s1:ab/Failed/alert',
  canary: { name: 'podinfo', namespace: 'test' },
  severity: 'error',
  reason: 'Failed',
  text: 'Release of podinfo.test was rolled back: <b> & co',
  fields: [
    { name: 'Target', value: 'Deployment/podinfo.test' },
    { name: 'Traffic routing', value: 'Weight <10>' },
  ],
  commit: `main@sha1:${COMMIT}`,
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
};

/** The page in the dashboard of an alert that has one. */
export const page = 'https://serin.example/canaries/shop/app';

export interface NotifierCase {
  /** Path at which posts arrive, for an address with the path `/hook/s3cret-path`. */
  path: string;
  /** Written after docs/rules and docs/differences.md, not after what the code does. */
  payload: object;
  /** The part of the body that leads to `page`. */
  link: object;
  /** The severity's form, for `error` and for the others. */
  severity: { error: string; warn: string };
  takesToken: boolean;
  /** The header of the token, if it is not a Bearer token. */
  tokenHeader?: string;
  /** It sets the state of a commit, and gets nothing without a token. */
  marksCommits?: true;
  /** Words behind the status and the host, by status. */
  refusals?: Readonly<Record<number, string>>;
  isSigned: boolean;
  /** A 2xx answer that stops early: only reading it shows that. */
  readsBody: boolean;
  /** It never reads a text as markup. */
  showsAsItIs?: true;
  /** Links are written `[words](address)`, and `@all` calls everyone. */
  readsMarkdown?: true;
  /** Its row in docs/alerts.md: its meaning, and the keys of the Secret that it reads. */
  docs: { is: string; keys: string };
  /** Titles in docs/alert-messages.md by golden file, where `cardOf` draws its payloads. */
  pictures?: Readonly<Record<string, string>>;
  /** Title of its payload as JSON in docs/alert-messages.md, where it has no picture. */
  title?: string;
  /** Limits that the service publishes: of the whole body, and of texts in an attachment. */
  limits: {
    bytes?: number;
    /** Of fields of the body. */
    texts?: Readonly<Record<string, number>>;
    attachment?: { fields: number; all: number; text: number; value: number; name?: number };
  };
}

export const slackShape = (color: string, escaped: boolean, hasFallback = true) => ({
  channel: 'general',
  username: 'flagger',
  icon_url: '',
  icon_emoji: ':rocket:',
  attachments: [
    {
      color,
      author_name: 'podinfo.test',
      ...(hasFallback && { fallback: `Release of podinfo.test was rolled back: ${escaped ? '&lt;b&gt; &amp; co' : '<b> & co'}` }),
      text: escaped ? 'Release of podinfo.test was rolled back: &lt;b&gt; &amp; co' : 'Release of podinfo.test was rolled back: <b> & co',
      mrkdwn_in: ['text'],
      fields: [
        { title: 'Target', value: 'Deployment/podinfo.test', short: false },
        { title: 'Traffic routing', value: escaped ? 'Weight &lt;10&gt;' : 'Weight <10>', short: false },
      ],
    },
  ],
});
export const attachedLink = { attachments: [{ author_link: page, fields: [{ title: 'Page', value: page, short: false }] }] };
export const plain = { takesToken: false, isSigned: false, readsBody: false };
