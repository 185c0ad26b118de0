/** The dashboard's page of a Canary; none without `--dashboard-url`. */
export function canaryPage(dashboardUrl: string, { namespace, name }: { namespace: string; name: string }): string | undefined {
  if (dashboardUrl === '') return undefined;
  const url = new URL(dashboardUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/canaries/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  return url.href;
}
