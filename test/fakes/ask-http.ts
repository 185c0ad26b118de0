import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface HttpQuestion {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Local address of this machine: `127.0.0.2` is another peer. */
  localAddress?: string;
}

/** One request to this machine, worded as the test words it. Of a stream, which does not end, the answer is its first event. */
export function askHttp(port: number, path: string, question: HttpQuestion = {}): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body = '', localAddress } = question;
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, path, method, headers, localAddress, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (response.headers['content-type']?.startsWith('text/event-stream') && text.includes('data:')) response.destroy();
      });
      response.on('close', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** A stream that stays open: what has come, and whether it has ended. */
export function openStream(port: number, path: string, headers: Record<string, string>, localAddress?: string) {
  const stream = { text: '', isOver: false, close: () => asked.destroy() };
  const asked = httpRequest({ host: '127.0.0.1', port, path, headers, localAddress, agent: false }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      stream.text += part;
    });
    response.on('close', () => {
      stream.isOver = true;
    });
    response.on('error', () => undefined);
  });
  asked.on('error', () => {
    stream.isOver = true;
  });
  asked.end();
  return stream;
}
