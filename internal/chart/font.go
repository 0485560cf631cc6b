package chart

import (
	"fmt"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// faces are the fonts of a drawing. The PNG is drawn with them; the SVG is drawn
// in whatever sans-serif its reader has, which they stand for when room is made.
type faces struct {
	regular, bold *opentype.Font
	made          map[faceKey]font.Face
}

type faceKey struct {
	size float64
	bold bool
}

func newFaces() (*faces, error) {
	regular, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("reading the built-in font: %w", err)
	}
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, fmt.Errorf("reading the built-in font: %w", err)
	}
	return &faces{regular: regular, bold: bold, made: map[faceKey]font.Face{}}, nil
}

func (f *faces) face(size float64, bold bool) (font.Face, error) {
	k := faceKey{size, bold}
	if face := f.made[k]; face != nil {
		return face, nil
	}
	from := f.regular
	if bold {
		from = f.bold
	}
	face, err := opentype.NewFace(from, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("making a font of %g px: %w", size, err)
	}
	f.made[k] = face
	return face, nil
}

// width is how wide a text is in pixels.
func (f *faces) width(text string, size float64, bold bool) float64 {
	face, err := f.face(size, bold)
	if err != nil {
		return float64(len(text)) * size * 0.6
	}
	return float64(font.MeasureString(face, text)) / 64
}

// fit cuts a text so that it is no wider than room.
func (f *faces) fit(text string, size float64, bold bool, room float64) string {
	if f.width(text, size, bold) <= room {
		return text
	}
	r := []rune(text)
	for len(r) > 0 && f.width(string(r)+"…", size, bold) > room {
		r = r[:len(r)-1]
	}
	if len(r) == 0 {
		return ""
	}
	return string(r) + "…"
}
