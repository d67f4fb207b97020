const blockBytes = 64 * 1024

/**
 * Copies bytes into its own blocks. Buffers from the store share their memory with many others, so a long-lived reference would hold all of
 * it. A separate allocation for each copy would cost more than the bytes.
 */
export function blockCopier(): (bytes: Buffer | undefined) => Buffer | undefined {
  let block = Buffer.alloc(0)
  let used = 0
  return bytes => {
    if (!bytes) return undefined
    if (used + bytes.length > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes.length))
      used = 0
    }
    const own = block.subarray(used, used + bytes.length)
    own.set(bytes)
    used += bytes.length
    return own
  }
}
