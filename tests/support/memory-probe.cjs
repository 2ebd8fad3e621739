// Loaded into a server with --require: collects garbage and tells how much memory is in use, whenever it is asked.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('message', ({ question }) => {
  if (question !== 'memory') return;
  // Twice: finalizers of the first collection free what the second one finds.
  collect();
  setImmediate(() => {
    collect();
    process.send({ question, reply: process.memoryUsage() });
  });
});
process.channel?.unref();
