import page from './login-assets.json' with { type: 'json' };

/** Assets of the login page, which needs no session; made by `npm run generate` from src/dashboard/page. */
export const loginAssets: Readonly<Record<string, { type: string; text: string }>> = {
  '/login/page.js': { type: 'text/javascript; charset=utf-8', text: page['page.js'] },
  '/login/page.css': { type: 'text/css; charset=utf-8', text: page['page.css'] },
};

export const loginDocument = page['index.html'];
