import { Agent, createServer, request } from 'node:http';

// The least a gateway can do: a bare Node proxy that pipes both ways.

const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, outgoing) => {
  const { method, headers, url } = incoming;
  const upstream = request(
    { host: '127.0.0.1', port: Number(process.argv[2]), path: url, method, headers, agent },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    },
  );
  incoming.pipe(upstream);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : 0);
});
process.on('disconnect', () => process.exit());
