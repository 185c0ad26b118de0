/** Runs at a node: sends each request on to the address that its header names. Arguments: address and port to listen at. */
import { createServer } from 'node:http';
import { ONWARD_HEADER, sendOn } from './onward.ts';

const [host = '', port = ''] = process.argv.slice(2);

createServer((incoming, outgoing) => {
  const to = new URL(`http://${incoming.headers[ONWARD_HEADER]}`);
  sendOn(incoming, outgoing, { host: to.hostname, port: to.port || 80 });
}).listen(Number(port), host);
