import { fork } from 'node:child_process';

/** In a process of its own: answers each job with what `work` makes of it, until the parent is gone. */
export function serveJobs(work) {
  process.on('disconnect', () => process.exit());
  process.on('message', (job) => {
    work(job).then(
      (result) => process.send({ result }),
      (error) => process.send({ error: error.message }),
    );
  });
}

/** In the parent: the process, and a function that has one job done by it at a time. */
export function startJobs(file) {
  const child = fork(file, { execArgv: [] });
  let waiting = null;
  const settle = (how, value) => {
    waiting?.[how](value);
    waiting = null;
  };
  child.on('message', ({ result, error }) => {
    if (error === undefined) settle('resolve', result);
    else settle('reject', new Error(error));
  });
  child.once('exit', (code) => settle('reject', new Error(`${file} ended with code ${code}`)));
  const run = (job) =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      child.send(job);
    });
  return { child, run };
}
