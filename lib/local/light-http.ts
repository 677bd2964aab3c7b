// An import of node:http reads all that it lists. These three load Node's `fetch` with all it needs, which would be almost
// half of a thread's start. They are there as globals; what imports them by name from node:http won't load after this.
const http = process.getBuiltinModule('node:http');
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) {
  Object.defineProperty(http, name, { enumerable: false });
}
