// Loaded into a server with --require: on each message, collects garbage and returns the memory in use.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('message', ({ question }) => {
  if (question !== 'memory') return;
  // Twice: finalizers of the first collection release memory that the second one frees.
  collect();
  setImmediate(() => {
    collect();
    process.send({ question, reply: process.memoryUsage() });
  });
});
process.channel?.unref();
