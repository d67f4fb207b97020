export interface Layer {
  bytes: number
  /** What made it. */
  by: string
}

/** What an image may add to its base. */
export const limitMb = 90

/** The history of an image as the engine prints it, newest step first. @param text lines of size in bytes, tab, step */
export const layersOf = (text: string): Layer[] =>
  text.split('\n').flatMap(line => {
    const [size, ...by] = line.split('\t')
    return size === undefined || size === '' ? [] : [{ bytes: Number(size), by: by.join(' ').replace(/\s+/g, ' ').trim() }]
  })

/** The layers with files that an image adds to its base. @throws Error when it was not made from that base */
export function ownLayers(image: readonly Layer[], base: readonly Layer[]): Layer[] {
  const own = image.length - base.length
  if (own < 0 || image.slice(own).some(({ bytes }, at) => bytes !== base[at]!.bytes)) throw new Error('the image is not made from this base')
  return image.slice(0, own).filter(({ bytes }) => bytes > 0)
}
