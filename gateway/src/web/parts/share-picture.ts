import { drawable, renderPng, shortened } from '@carapace/picture'
import { content } from '@carapace/service'
import { escapeText } from '../html.ts'
import { pictureHeight, pictureWidth } from '../picture-size.ts'

interface Lines {
  over: string
  title: string
  /** What is read first. */
  figure: string
  by: string
  more: string
  id: string
}

/** A picture for link previews with six lines of text. */
export async function sharePicture({ over, title, figure, by, more, id }: Lines) {
  const text = (y: number, size: number, colour: string, value: string, weight = 400) =>
    `<text x="80" y="${y}" font-family="Inter" font-size="${size}" font-weight="${weight}" fill="${colour}">${escapeText(drawable(value))}</text>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${pictureHeight}" viewBox="0 0 ${pictureWidth} ${pictureHeight}">
<rect width="100%" height="100%" fill="#10151c"/>
<rect width="14" height="100%" fill="#e4572e"/>
${text(100, 30, '#e4572e', over, 700)}
${text(190, 56, '#ffffff', shortened(title, 36), 700)}
${text(340, 96, '#ffffff', figure, 700)}
${text(420, 34, '#9fb1c5', shortened(by, 56))}
${text(520, 30, '#7bd88f', shortened(more, 60))}
${text(578, 24, '#8191a3', id)}
</svg>`
  return content('image/png', await renderPng(svg, { width: pictureWidth }), { 'cache-control': 'public, max-age=300' })
}
