/** Random numbers of the distributions that the study needs, drawn from numbers between 0 and 1. */
export class Draws {
  private readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  uniform(): number {
    return this.random();
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
  }

  /** Small means by inversion; large ones by transformed rejection (Hörmann 1993, PTRS). */
  poisson(mean: number): number {
    if (mean <= 0) return 0;
    return mean < 12 ? this.smallPoisson(mean) : this.largePoisson(mean);
  }

  /** Marsaglia and Tsang (2000), for a shape of 1 and more. */
  gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * (1 - this.random()) ** (1 / shape);
    const d = shape - 1 / 3;
    for (;;) {
      const x = this.normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(1 - this.random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  /** Sum of `count` clusters whose sizes are geometric from 1 up, with a mean of `size`. */
  clusters(count: number, size: number): number {
    return count === 0 ? 0 : count + this.poisson(this.gamma(count) * (size - 1));
  }

  /** Number that stays of `count`, each with the same chance. Large counts use the normal approximation. */
  staying(count: number, chance: number): number {
    if (count > 50) {
      const drawn = Math.round(count * chance + Math.sqrt(count * chance * (1 - chance)) * this.normal());
      return Math.min(count, Math.max(0, drawn));
    }
    let stay = 0;
    for (let one = 0; one < count; one += 1) if (this.random() < chance) stay += 1;
    return stay;
  }

  private smallPoisson(mean: number): number {
    let left = this.random() - Math.exp(-mean);
    let term = Math.exp(-mean);
    let count = 0;
    while (left > 0 && count < 200) {
      count += 1;
      term *= mean / count;
      left -= term;
    }
    return count;
  }

  private largePoisson(mean: number): number {
    const b = 0.931 + 2.53 * Math.sqrt(mean);
    const a = -0.059 + 0.02483 * b;
    const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
    const vR = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
      const u = this.random() - 0.5;
      const v = 1 - this.random();
      const us = 0.5 - Math.abs(u);
      const k = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
      if (us >= 0.07 && v <= vR) return k;
      if (k < 0 || (us < 0.013 && v > us)) continue;
      if (Math.log(v) + Math.log(inverseAlpha) - Math.log(a / (us * us) + b) <= k * Math.log(mean) - mean - logFactorial(k)) return k;
    }
  }
}

const SMALL = Array.from({ length: 16 }, (_, n) => {
  let product = 1;
  for (let factor = 2; factor <= n; factor += 1) product *= factor;
  return Math.log(product);
});

/** Stirling's series from 16 up. */
function logFactorial(n: number): number {
  return SMALL[n] ?? (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3);
}
