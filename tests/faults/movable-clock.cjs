// Loaded into a server with --require: moves its wall clock. As with a real clock jump, timers and
// performance.now() are not affected.
const RealDate = Date;
let offsetMs = 0;

class MovableDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(MovableDate.now());
    else super(...args);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
}

globalThis.Date = MovableDate;

process.on('message', ({ question, argument }) => {
  if (question !== 'jump') return;
  offsetMs += argument;
  process.send({ question, reply: MovableDate.now() });
});
process.channel?.unref();
