import page from './page-assets.json' with { type: 'json' };

/** The page, made by `npm run generate` from src/dashboard/page. */
export const assets: Readonly<Record<string, { type: string; text: string }>> = {
  'page.js': { type: 'text/javascript; charset=utf-8', text: page['page.js'] },
  'page.css': { type: 'text/css; charset=utf-8', text: page['page.css'] },
};

/** One document for every view: the script reads the path. */
export const documentText = page['index.html'];
