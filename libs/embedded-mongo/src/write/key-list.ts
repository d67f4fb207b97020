/** Many keys in one buffer: a tenth of the memory of as many buffers. */
export class KeyList {
  #bytes = Buffer.allocUnsafe(1_024)
  #ends: number[] = []

  get length(): number {
    return this.#ends.length
  }

  add(key: Buffer): void {
    const start = this.#ends.at(-1) ?? 0
    const end = start + key.length
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.max(end, this.#bytes.length * 2))
    this.#bytes.set(key, start)
    this.#ends.push(end)
  }

  at(place: number): Buffer {
    return this.#bytes.subarray(place === 0 ? 0 : this.#ends[place - 1], this.#ends[place])
  }
}
