/** Rate and quantiles of what took `latencies` (ms each), one after another or beside each other, in `elapsedMs`. */
export function measured(latencies, elapsedMs) {
  const sorted = Float64Array.from(latencies).sort();
  const quantile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    answers: sorted.length,
    perSecond: (sorted.length * 1000) / elapsedMs,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of each number that all the results have. */
export function medians(results) {
  const names = Object.keys(results[0]).filter((name) => typeof results[0][name] === 'number');
  return Object.fromEntries(names.map((name) => [name, median(results.map((result) => result[name]))]));
}

/** Shares of one processor that this process uses from now on, until the returned function is called. */
export function processorShare() {
  const started = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / (performance.now() - started);
  };
}
