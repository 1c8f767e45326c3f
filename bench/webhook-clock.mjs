/** Ms since 1970, with fractions: the same clock in each process. */
export const epochMs = () => performance.timeOrigin + performance.now();
