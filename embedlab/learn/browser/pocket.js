// The pocket encoder, as pocket.py: same generator, same order, float32. A vector a word, their mean, InfoNCE, Adam.

const DIMENSIONS = 64, LEARNING_RATE = 0.1, WARMUP = 0.1, BETA = 0.9, BETA_SQUARE = 0.999, EPSILON = 1e-8, NEIGHBORS = 10, DROPPED = 0.1;

/** mulberry32: numbers in [0, 1). */
class Uniform {
  constructor(seed) { this.state = seed >>> 0; }
  next() {
    const a = (this.state = (this.state + 0x6d2b79f5) >>> 0);
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
}

/** Texts as sentences of word numbers, and what belongs to them. */
class PocketCorpus {
  constructor({ numbers, sizes, labels, test, words, classes }) {
    Object.assign(this, { labels, test, classes, count: sizes.length, words: words.split(" ") });
    const bytes = new Uint8Array(bytesOf(numbers)), count = bytes.length / 2, all = Uint16Array.from({ length: count }, (_, at) => bytes[at] + 256 * bytes[count + at]);
    let at = 0;
    this.sentences = sizes.map((text) => text.map((size) => all.subarray(at, (at += size))));
    at = 0;
    this.whole = sizes.map((text) => all.subarray(at, (at += text.reduce((sum, size) => sum + size, 0))));
    const tested = new Set(test);
    this.train = [...labels.keys()].filter((text) => !tested.has(text));
    this.numbers = new Map(this.words.map((word, number) => [word, number]));
  }

  /** The known words of a typed sentence, as units() of counting.py finds them in English. */
  wordsOf(typed) {
    return Uint16Array.from([...typed.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}_]{2,}/gu)].map(([word]) => this.numbers.get(word)).filter((number) => number !== undefined));
  }
}

/** Two views of a text, as words of both. */
function viewPair({ sentences, whole, count }, views, text, random) {
  const parts = sentences[text], all = whole[text], below = (end) => Math.floor(random.next() * end);
  if (views === "sentences") {
    const first = below(parts.length), second = below(parts.length - 1);
    return [parts[first], parts[second + (second >= first ? 1 : 0)]];
  }
  if (views === "strangers") {
    const own = parts[below(parts.length)], other = sentences[below(count)];
    return [own, other[below(other.length)]];
  }
  const middle = (all.length + 1) >> 1;
  if (views === "halves") return [all.subarray(0, middle), all.subarray(middle)];
  return views === "dropped words" ? [withoutSome(all, random), withoutSome(all, random)] : [all, all];
}

function withoutSome(words, random) {
  const left = words.filter(() => random.next() >= DROPPED);
  return left.length ? left : words.subarray(0, 1);
}

class Pocket {
  constructor(corpus, settings, seed = 0) {
    Object.assign(this, { corpus, settings, seed, step: 0, losses: [], random: new Uniform(seed), order: [], at: 0 });
    const size = corpus.words.length * DIMENSIONS;
    this.table = new Float32Array(size);
    for (let place = 0; place < size; place += 2) { // Box and Muller
      const radius = Math.sqrt(-2 * Math.log(1 - this.random.next())), angle = 2 * Math.PI * this.random.next();
      this.table[place] = radius * Math.cos(angle);
      this.table[place + 1] = radius * Math.sin(angle);
    }
    [this.first, this.second, this.sum] = [0, 0, 0].map(() => new Float32Array(size));
  }

  get batch() { return Math.min(this.settings.batch, this.corpus.count); }

  /** One step; `share`: how much of the training lies behind, 0 … 1, by default by steps. */
  train(share = this.step / this.settings.steps, part = 1 / this.settings.steps) {
    const views = this.nextTexts().map((text) => viewPair(this.corpus, this.settings.views, text, this.random)), loss = this.gradient(views);
    this.losses.push(loss);
    this.adam(LEARNING_RATE * Math.min((share + part) / WARMUP, (1 - share) / (1 - WARMUP), 1));
    return loss;
  }

  nextTexts() {
    const { batch } = this, { count } = this.corpus;
    if (this.at + batch > this.order.length) {
      const keys = Float64Array.from({ length: count }, () => this.random.next());
      this.order = [...keys.keys()].sort((one, other) => keys[one] - keys[other]);
      this.at = 0;
    }
    this.at += batch;
    return this.order.slice(this.at - batch, this.at);
  }

  /** The mean of the words, of length one, into `into`; returns the length it had. */
  mean(words, into, row) {
    const { table } = this, start = row * DIMENSIONS;
    into.fill(0, start, start + DIMENSIONS);
    for (const word of words) for (let d = 0, at = word * DIMENSIONS; d < DIMENSIONS; d++) into[start + d] += table[at + d];
    let square = 0;
    for (let d = 0; d < DIMENSIONS; d++) { into[start + d] /= words.length || 1; square += into[start + d] ** 2; }
    const length = Math.max(Math.fround(Math.sqrt(square)), 1e-12);
    for (let d = 0; d < DIMENSIONS; d++) into[start + d] /= length;
    return length;
  }

  /** Leaves the gradient of the words that were read in `sum`, and which they are in `touched`; returns the loss. */
  gradient(views) {
    const n = views.length, heat = Math.fround(this.settings.temperature);
    const [a, p, byA, byP] = [0, 0, 0, 0].map(() => new Float32Array(n * DIMENSIONS));
    const lengths = views.map(([first, second], row) => [this.mean(first, a, row), this.mean(second, p, row)]);
    let loss = 0;
    if (this.settings.negatives) {
      const shares = new Float32Array(n);
      for (let i = 0; i < n; i++) {
        let most = -Infinity, sum = 0;
        for (let j = 0; j < n; j++) {
          let dot = 0;
          for (let d = 0, x = i * DIMENSIONS, y = j * DIMENSIONS; d < DIMENSIONS; d++) dot += a[x + d] * p[y + d];
          shares[j] = dot / heat;
          if (shares[j] > most) most = shares[j];
        }
        for (let j = 0; j < n; j++) sum += shares[j] = Math.exp(shares[j] - most);
        loss -= Math.log(Math.max(shares[i] / sum, 1.1754943508222875e-38)) / n;
        for (let j = 0; j < n; j++) {
          const weight = (shares[j] / sum - (i === j ? 1 : 0)) / n / heat;
          if (i !== j && shares[j] < 1e-7 * sum) continue; // of a small temperature most are nothing
          for (let d = 0, x = i * DIMENSIONS, y = j * DIMENSIONS; d < DIMENSIONS; d++) { byA[x + d] += weight * p[y + d]; byP[y + d] += weight * a[x + d]; }
        }
      }
    } else {
      for (let at = 0; at < n * DIMENSIONS; at++) { loss -= (a[at] * p[at]) / n / heat; byA[at] = -p[at] / n / heat; byP[at] = -a[at] / n / heat; }
      loss += 1 / heat;
    }
    this.touched = new Set();
    for (let row = 0; row < n; row++)
      for (const [side, unit, by] of [[0, a, byA], [1, p, byP]]) this.spread(views[row][side], unit, by, row * DIMENSIONS, lengths[row][side]);
    return loss;
  }

  /** From the gradient of a unit vector to that of its words. */
  spread(words, unit, by, start, length) {
    let along = 0;
    for (let d = 0; d < DIMENSIONS; d++) along += unit[start + d] * by[start + d];
    const share = 1 / (length * words.length);
    for (let d = 0; d < DIMENSIONS; d++) by[start + d] = (by[start + d] - unit[start + d] * along) * share;
    for (const word of words) {
      this.touched.add(word);
      for (let d = 0, at = word * DIMENSIONS; d < DIMENSIONS; d++) this.sum[at + d] += by[start + d];
    }
  }

  adam(rate) {
    this.step++;
    const { table, first, second, sum } = this, one = 1 - BETA ** this.step, two = 1 - BETA_SQUARE ** this.step;
    for (const word of this.touched) {
      for (let at = word * DIMENSIONS, end = at + DIMENSIONS; at < end; at++) {
        first[at] = BETA * first[at] + (1 - BETA) * sum[at];
        second[at] = BETA_SQUARE * second[at] + (1 - BETA_SQUARE) * sum[at] ** 2;
        table[at] -= (rate * first[at]) / one / (Math.sqrt(second[at] / two) + EPSILON);
        sum[at] = 0;
      }
    }
  }

  /** Unit vectors of these texts.  -> (texts × DIMENSIONS) */
  embed(texts) {
    const rows = new Float32Array(texts.length * DIMENSIONS);
    texts.forEach((text, row) => this.mean(this.corpus.whole[text], rows, row));
    return rows;
  }

  /** Of words or a text the ten nearest train texts, and the class most of them have; of equal votes the first. */
  vote(words, trained = this.embed(this.corpus.train)) {
    const unit = new Float32Array(DIMENSIONS), { train, labels, classes } = this.corpus;
    this.mean(words, unit, 0);
    const nearest = [];
    for (let row = 0; row < train.length; row++) {
      let cosine = 0;
      for (let d = 0, at = row * DIMENSIONS; d < DIMENSIONS; d++) cosine += unit[d] * trained[at + d];
      if (nearest.length === NEIGHBORS && cosine <= nearest[NEIGHBORS - 1].cosine) continue;
      let place = nearest.length;
      while (place && nearest[place - 1].cosine < cosine) place--;
      nearest.splice(place, 0, { text: train[row], cosine });
      if (nearest.length > NEIGHBORS) nearest.pop();
    }
    const votes = new Array(classes.length).fill(0);
    for (const { text } of nearest) votes[labels[text]]++;
    return { nearest, votes, winner: votes.indexOf(Math.max(...votes)) };
  }

  /** kNN accuracy of the test texts by cosine, of 100. */
  accuracy() {
    const { test, train, labels, whole } = this.corpus, trained = this.embed(train);
    return (100 * test.filter((text) => this.vote(whole[text], trained).winner === labels[text]).length) / test.length;
  }

  /** The mean cosine of two different texts. */
  meanCosine() {
    const { count } = this.corpus, rows = this.embed([...this.corpus.whole.keys()]), sums = new Float64Array(DIMENSIONS);
    rows.forEach((value, at) => { sums[at % DIMENSIONS] += value; });
    return (sums.reduce((total, value) => total + value ** 2, 0) - count) / (count * (count - 1));
  }
}
