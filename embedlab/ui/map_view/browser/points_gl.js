// The points on the graphics card (WebGL2); what was sent is kept, so that a lost context can be built again.

const HIDDEN = 0, DIM = 1, BEHIND = 2, NORMAL = 3, CHOSEN = 4; // the state of a point, one byte each

const VERTEX = `#version 300 es
in vec2 place; in uint category; in uint state;
uniform vec2 middle, scale; uniform float diameter; uniform uint layer; uniform vec4 dim; uniform sampler2D palette;
out vec4 colour; out float size;
void main() {
  uint own = min(state, ${NORMAL}u);
  size = diameter * (state == ${CHOSEN}u ? 1.25 : state == ${DIM}u ? 0.85 : 1.0);
  gl_PointSize = size + 1.0;
  gl_Position = own == layer ? vec4((place - middle) * scale, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  colour = state == ${DIM}u ? dim : texelFetch(palette, ivec2(category & 255u, category >> 8u), 0);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 colour; in float size; uniform float opacity; out vec4 pixel;
void main() {
  float away = length(gl_PointCoord - 0.5) * (size + 1.0);
  pixel = vec4(colour.rgb, colour.a * opacity * clamp(size * 0.5 - away + 0.5, 0.0, 1.0));
}`;

class PointsGL {
  constructor(canvas, redraw) {
    this.canvas = canvas;
    this.kept = { places: new Float32Array(0), categories: new Uint16Array(0), states: new Uint8Array(0), palette: [] };
    this.gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false }); // alpha would wash blended points out
    if (!this.gl) throw new Error("no WebGL2");
    this.onLost = (event) => { event.preventDefault(); this.lost = true; };
    this.onRestored = () => { this.lost = false; this.build(); redraw(); };
    canvas.addEventListener("webglcontextlost", this.onLost);
    canvas.addEventListener("webglcontextrestored", this.onRestored);
    this.build();
  }

  build() {
    const gl = this.gl;
    const program = (this.program = gl.createProgram());
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      if (gl.isContextLost()) return;
      throw new Error(gl.getProgramInfoLog(program) || "the shaders do not link");
    }
    gl.useProgram(program);
    this.at = (name) => gl.getUniformLocation(program, name);
    this.buffers = {};
    for (const name of ["place", "category", "state"]) {
      this.buffers[name] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
      const location = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(location);
      if (name === "place") gl.vertexAttribPointer(location, 2, gl.FLOAT, false, 0, 0);
      else gl.vertexAttribIPointer(location, 1, name === "category" ? gl.UNSIGNED_SHORT : gl.UNSIGNED_BYTE, 0, 0);
    }
    this.order = gl.createBuffer();
    this.texture = gl.createTexture();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const { places, categories, states, palette } = this.kept;
    this.setPoints(places);
    this.setCategories(categories);
    this.setStates(states);
    if (palette.length) this.setPalette(palette);
  }

  fill(name, array) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[name]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, array, this.gl.DYNAMIC_DRAW);
  }

  setPoints(places) {
    this.kept.places = places;
    this.fill("place", places);
    this.gl.bindBuffer(this.gl.ELEMENT_ARRAY_BUFFER, this.order);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, shuffled(places.length / 2), this.gl.STATIC_DRAW);
  }

  setCategories(categories) {
    this.kept.categories = categories;
    this.fill("category", categories);
  }

  setStates(states) {
    this.kept.states = states;
    this.fill("state", states);
    this.layers = [DIM, BEHIND, NORMAL].filter((layer) => states.some((state) => Math.min(state, NORMAL) === layer));
  }

  setPalette(palette) {
    this.kept.palette = palette;
    const gl = this.gl, rows = Math.ceil(palette.length / 256), pixels = new Uint8Array(rows * 256 * 4);
    palette.forEach((colour, index) => pixels.set([...colour, 255], index * 4));
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  draw(view, look, theme) {
    if (this.lost) return;
    const gl = this.gl, density = this.canvas.width / view.width;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...theme.ground.map((value) => value / 255), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.at("middle"), ...view.middle);
    gl.uniform2f(this.at("scale"), (2 * view.scale) / view.width, (2 * view.scale) / view.height);
    gl.uniform1f(this.at("diameter"), look.diameter * density);
    gl.uniform4f(this.at("dim"), ...theme.quiet.map((value) => value / 255), 0.3);
    for (const layer of this.layers) {
      gl.uniform1ui(this.at("layer"), layer);
      gl.uniform1f(this.at("opacity"), look.opacity);
      gl.drawElements(gl.POINTS, this.kept.places.length / 2, gl.UNSIGNED_INT, 0);
    }
  }

  close() {
    this.canvas.removeEventListener("webglcontextlost", this.onLost);
    this.canvas.removeEventListener("webglcontextrestored", this.onRestored);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext(); // a browser allows sixteen
  }
}

/** 0 … count−1 in a fixed random order: no class is painted over by those that come later in the file. */
function shuffled(count) {
  const order = new Uint32Array(count).map((_, index) => index);
  let seed = 42;
  for (let last = count - 1; last > 0; last--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((seed / 4294967296) * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
