/** The dashboard's page of a Canary; none without `--dashboard-url`. */
export function canaryPage(dashboardUrl: string, { namespace, name }: { namespace: string; name: string }): string | undefined {
  if (dashboardUrl === '') return undefined;
  const url = new URL(dashboardUrl);
  const prefix = url.pathname.split('/').filter((part) => part !== '');
  url.pathname = [...prefix, 'canaries', encodeURIComponent(namespace), encodeURIComponent(name)].join('/');
  return url.href;
}

/** The page of one past release, below that of its Canary. */
export function releasePage(page: string, release: number): string {
  return `${page}/releases/${release}`;
}
