import { readFileSync } from 'node:fs';
import https from 'node:https';

/** A client for the server of a kubeconfig, with its client certificate. */
export function connect(kubeconfig) {
  const text = readFileSync(kubeconfig, 'utf8');
  const server = /server: (\S+)/.exec(text)[1];
  const agent = new https.Agent({
    ca: credential(text, 'certificate-authority'),
    cert: credential(text, 'client-certificate'),
    key: credential(text, 'client-key'),
    keepAlive: true,
  });
  return { ask: (method, path, body) => ask(server + path, { method, agent }, body), close: () => agent.destroy() };
}

/** Status code, body and warnings of a response. */
function ask(url, options, body) {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { ...options, headers: { 'content-type': 'application/json' } }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const lines = [response.headers.warning ?? []].flat().flatMap((line) => line.split(/, (?=299 )/));
        const warnings = lines.map((line) => JSON.parse(line.replace(/^299 - /, '')));
        const answer = Buffer.concat(chunks).toString();
        resolve({ code: response.statusCode, body: answer.startsWith('{') ? JSON.parse(answer) : {}, warnings });
      });
    });
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

function credential(text, key) {
  const data = new RegExp(`${key}-data: (\\S+)`).exec(text);
  return data ? Buffer.from(data[1], 'base64') : readFileSync(new RegExp(`${key}: (\\S+)`).exec(text)[1]);
}
