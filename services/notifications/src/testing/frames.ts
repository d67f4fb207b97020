/** One server-sent event. */
export interface Frame<Data> {
  id: string
  event: string
  data: Data
}

/** Reads an answer to its end. @param comments gets what a stream says that is no event */
export async function collect<Data>(response: Response, frames: Frame<Data>[], comments: string[] = [], places: string[] = []): Promise<void> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string) => lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [id, event, data] = [field('id'), field('event'), field('data')]
      if (id) places.push(id)
      if (id && event && data) frames.push({ id, event, data: JSON.parse(data) })
      else comments.push(...lines.filter(line => line.startsWith(': ')))
    }
  }
}
