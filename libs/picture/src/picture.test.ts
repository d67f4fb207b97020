import assert from 'node:assert/strict'
import { drawable } from './drawable.ts'
import { renderPng } from './render.ts'
import { shortened } from './shortened.ts'

const svg = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="150"><rect width="100%" height="100%" fill="#fff"/>${inside}</svg>`
const text = (value: string, weight = 400) => `<text x="10" y="80" font-family="Inter" font-size="40" font-weight="${weight}">${value}</text>`

/** Width and height of a PNG, from its header. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)]

describe('pictures', () => {
  it('are PNGs of the requested width, with the height of the SVG in proportion', async () => {
    const png = await renderPng(svg(''), { width: 600 })

    assert.equal(png.subarray(1, 4).toString(), 'PNG')
    assert.deepEqual(sizeOf(png), [600, 300])
  })

  it('set text in the included font, in both weights', async () => {
    const [blank, regular, bold] = await Promise.all(
      ['', text('12.50 USDC'), text('12.50 USDC', 700)].map(inside => renderPng(svg(inside), { width: 300 })),
    )

    assert.ok(regular!.length > blank!.length * 2)
    assert.notDeepEqual(regular, bold)
  })

  it('are drawn once for one SVG', async () => {
    const first = await renderPng(svg(text('once')), { width: 300 })

    assert.equal(await renderPng(svg(text('once')), { width: 300 }), first)
  })

  it('of a broken SVG are refused, and the next one is drawn', async () => {
    await assert.rejects(renderPng('<svg', { width: 300 }), /could not be drawn/)
    await assert.doesNotReject(renderPng(svg(text('after')), { width: 300 }))
  })

  it('show no file of the machine that an SVG names', async () => {
    const plain = await renderPng(svg(''), { width: 300 })
    const naming = await renderPng(svg('<image href="/etc/passwd" width="300" height="150"/>'), { width: 300 })

    assert.deepEqual(naming, plain)
  })

  it('leave out what the font cannot show', () => {
    assert.equal(drawable('Rust 🦀 bot 日本'), 'Rust bot')
    assert.equal(drawable('Überfällig: 5 € → ok'), 'Überfällig: 5 € → ok')
  })

  it('cut long text between characters, never within one', () => {
    assert.equal(shortened('Audit a vault', 13), 'Audit a vault')
    assert.equal(shortened('Audit a vault', 6), 'Audit…')
    assert.equal(shortened('🦀🦀🦀', 2), '🦀…')
  })
})
