import { hash } from 'node:crypto'

/** The HMAC-SHA256 of a text (as UTF-8) or of bytes: 32 bytes. */
export type Mac = (text: string | Buffer) => Buffer

const blockBytes = 64
const digestBytes = 32

/**
 * HMAC-SHA256 (RFC 2104) under one key, of two one-shot hashes: an Hmac object for each text costs several times as much, most of it in its collection.
 * @example const mac = macOf(key); timingSafeEqual(given, mac(text))
 */
export function macOf(key: string | Buffer): Mac {
  const { inner, outer } = pads(Buffer.from(key))
  // one `outer` for all texts: nothing comes between its writing and its reading
  return text => {
    const bytes = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
    inner.copy(bytes)
    if (typeof text === 'string') bytes.write(text, blockBytes)
    else text.copy(bytes, blockBytes)
    hash('sha256', bytes, 'buffer').copy(outer, blockBytes)
    return hash('sha256', outer, 'buffer')
  }
}

/** The two blocks that go before text and inner hash; after the outer one there is room for the inner hash. */
function pads(key: Buffer): { inner: Buffer; outer: Buffer } {
  const block = Buffer.alloc(blockBytes)
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  short.copy(block)
  const outer = Buffer.alloc(blockBytes + digestBytes)
  outer.set(block.map(byte => byte ^ 0x5c))
  return { inner: block.map(byte => byte ^ 0x36) as Buffer, outer }
}
