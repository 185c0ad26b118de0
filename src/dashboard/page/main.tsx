import { render } from 'preact';
import { ListPage } from './list.tsx';
import { canaryPath } from './parts.tsx';
import { ComparePage, DifferencePage, HistoryPage, JournalPage } from './past.tsx';
import { adoptProof } from './proof.ts';
import { ReleasePage } from './release.tsx';
import { SessionLink } from './session.tsx';
import { words } from './words.ts';

const [, root = '', namespace = '', name = '', view = '', first = '', second = ''] = location.pathname.split('/');
const canary = { namespace, name };

function View() {
  switch (view) {
    case '':
      return <ReleasePage canary={canary} />;
    case 'history':
      return <HistoryPage canary={canary} />;
    case 'diff':
      return <DifferencePage canary={canary} />;
    case 'releases':
      return <JournalPage canary={canary} release={first} />;
    case 'compare':
      return <ComparePage canary={canary} a={first} b={second} />;
    default:
      return <p>{words.unknownPage}</p>;
  }
}

const Tab = ({ of, text }: { of: string; text: string }) => (
  <a href={canaryPath(canary, of === '' ? '' : `/${of}`)} aria-current={view === of ? 'page' : undefined}>
    {text}
  </a>
);

const Page = () => (
  <>
    <a class="skip" href="#content">
      {words.skip}
    </a>
    <header>
      <strong>{words.product}</strong>
      <nav>
        <a href="/" aria-current={root === '' ? 'page' : undefined}>
          {words.all}
        </a>
        {root !== '' && (
          <>
            <Tab of="" text={words.live} />
            <Tab of="history" text={words.history} />
            <Tab of="diff" text={words.diff} />
          </>
        )}
      </nav>
      <SessionLink />
    </header>
    <main id="content" tabIndex={-1}>
      {root === '' ? (
        <ListPage />
      ) : (
        <>
          <h1>
            {name} <span class="dim">{namespace}</span>
          </h1>
          <View />
        </>
      )}
    </main>
  </>
);

document.title = root === '' ? words.product : `${namespace}/${name} · ${words.product}`;
const place = document.getElementById('page');
if (place)
  void adoptProof()
    .catch(() => undefined) // not answered: the page shows that it has no session
    .then(() => render(<Page />, place));
