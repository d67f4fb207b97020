/** What link previews expect. */
export const pictureWidth = 1200
export const pictureHeight = 630
